import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, missing, unbuilt, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { atTerminal } from '../../../support/cli/terminal.ts'
import { changed } from '../../../support/data/reader.ts'

const INTERRUPT = '\x03'
const skip = unbuilt || missing('python3')

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

describe('at a terminal, a table', { skip, timeout: 60_000 }, () => {
  const lines = (text: string) => text.split('\n').filter(line => /[│┌└├]/.test(line))

  for (const columns of [60, 80, 160])
    it(`fits ${columns} columns`, async () => {
      const screen = atTerminal(place, ['gateway', 'list'], columns)
      assert.equal(await screen.ended(), 0)
      assert.ok(lines(screen.printed()).length > 3)
      for (const line of lines(screen.printed())) assert.ok(line.length <= columns, line)
    })

  it('colours a state, whose word says it all without colour', async () => {
    const coloured = atTerminal(place, ['tenant', 'list', '--fields', 'slug,status'])
    await coloured.ended()
    assert.ok(coloured.raw().includes('\x1b[32mactive\x1b[39m'))
    for (const [args, env] of [
      [['--no-color'], {}],
      [[], { NO_COLOR: '1' }],
      [[], { TERM: 'dumb' }],
    ] as const) {
      const plain = atTerminal(place, ['tenant', 'list', '--fields', 'slug,status', ...args], 80, env)
      await plain.ended()
      assert.equal(plain.raw().includes('\x1b['), false)
      assert.match(plain.printed(), /active/)
    }
  })

  it('shows one screen, and how to see the rest', async () => {
    const now = '2026-01-01T00:00:00.000000Z'
    const rates = Array.from({ length: 51 }, (_, n) => `(1, '${n + 1}', 'X', 1, 1, 'active', '${now}', '${now}')`)
    await changed(
      place.db,
      `INSERT INTO rates (tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at)
       VALUES ${rates.join()}`,
    )
    const screen = atTerminal(place, ['rate', 'list'])
    await screen.until('there are more: add --after 3 for the next, or --all')
    assert.equal(await screen.ended(), 0)
  })
})

describe('at a terminal, a prompt', { skip, timeout: 60_000 }, () => {
  it('shows names from outside without what a terminal acts on', async () => {
    await changed(place.db, `UPDATE tenants SET name = 'Acme\x1b]0;title\x07\x9b2J\x08\u202eLtd'`)
    const screen = atTerminal(place, ['extension', 'create'])
    await screen.until('Acme Ltd')
    screen.type(INTERRUPT)
    assert.equal(await screen.ended(), 130)
    assert.doesNotMatch(screen.raw(), /title|\x9b|\u202e/)
  })
})
