import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, missing, unbuilt, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { atTerminal } from '../../../support/cli/terminal.ts'

const AT_TERMINAL = { skip: unbuilt || missing('python3'), timeout: 20_000 }

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

/** Commands about one tenant, split where its name may go. */
const COMMANDS = [
  ['rate quote', '380441112233'],
  ['rate check', ''],
  ['cdr rerate', '--dry-run'],
  ['report usage', '--month 2026-10'],
] as const

describe('the tenant that a command is about', () => {
  for (const [command, rest] of COMMANDS) {
    it(`is named as an argument or by --tenant: ${command}`, async () => {
      const named = await place.run(`trunkline ${command} acme ${rest}`)
      assert.ok(named.code <= 1, named.stderr)
      assert.notEqual(named.stdout, '')
      for (const line of [
        `acme ${rest} --tenant acme`,
        `--tenant acme ${rest}`,
        `${rest} --tenant=acme`,
        `--tenant 1 ${rest}`,
      ])
        assert.deepEqual(await place.run(`trunkline ${command} ${line}`), named)
    })

    it(`must be given exactly once: ${command}`, async () => {
      const twice = await place.run(`trunkline ${command} acme ${rest} --tenant beta`)
      assert.equal(twice.code, 64)
      assert.match(twice.stderr, /^error: the tenant is named twice: acme and --tenant beta$/m)
      const options = rest.startsWith('-') ? rest : ''
      assert.deepEqual(await place.run(`trunkline ${command} ${options}`), {
        code: 64,
        stdout: '',
        stderr: 'error: the tenant must be named, as an argument or by --tenant\nhint: trunkline tenant list\n',
      })
    })
  }

  it('is chosen in a terminal, and the number is asked for', AT_TERMINAL, async () => {
    const screen = atTerminal(place, ['rate', 'quote'])
    await screen.until('❯ Acme Ltd · acme')
    screen.type('\r')
    await screen.until('number to call:')
    screen.type('380441112233\r')
    assert.equal(await screen.ended(), 0)
    assert.match(screen.printed(), /^cost +60 s × 0\.0123/m)
  })

  it('is chosen at a terminal, and the month of its report is asked for', AT_TERMINAL, async () => {
    const screen = atTerminal(place, ['report', 'usage'])
    await screen.until('❯ Acme Ltd · acme')
    screen.type('\r')
    await screen.until('month:')
    screen.type('10/26\r')
    await screen.until('10/26 is not a month; write it like 2026-10')
    screen.type('\u00152026-10\r')
    assert.equal(await screen.ended(), 0)
    assert.match(screen.printed(), /^acme, 2026-10 /m)
  })

  it('is not a month to report', async () => {
    assert.deepEqual(await place.run('trunkline report usage acme'), {
      code: 64,
      stdout: '',
      stderr: 'error: a month is required: give --month\nhint: trunkline report usage acme --month 2026-10\n',
    })
  })

  it('is not a number to quote', async () => {
    const { code, stderr } = await place.run('trunkline rate quote acme')
    assert.equal(code, 64)
    assert.equal(stderr, 'error: a number is required: the one to call\nhint: trunkline rate quote --help\n')
  })
})
