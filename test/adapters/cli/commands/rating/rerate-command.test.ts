import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

const COUNT = 45

describe('rerating, from the command line', () => {
  let place: Workplace
  const RERATE = 'trunkline cdr rerate --tenant acme'
  before(async () => {
    place = workplace()
    await furnish(place)
    const rows = Array.from({ length: COUNT }, (_, n) => asteriskRow({ id: `${n}`, start: '2026-10-01 12:00:00' }))
    writeFileSync(place.path('Master.csv'), rows.join(''))
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')} --quiet`)
    const [{ id: rate }] = await place.json('trunkline rate list')
    const [{ id: call }] = await place.json('trunkline cdr list')
    await place.done(`trunkline rate update ${rate} --cost-per-minute 0.06`)
    await place.done(`trunkline cdr update ${call} --cost 7.5`)
  })
  after(() => place.remove())

  test('shows a person some of the changes, how many more there are, and which costs were edited by hand', async () => {
    const { stdout } = await place.run(`${RERATE} --dry-run`)
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.filter(line => line.includes(' -> ') && line.includes('by 380')).length, 20)
    assert.match(stdout, /^… and 25 more \(see --output csv\)$/m)
    assert.match(stdout, /^would change 45 of 45 calls: \S+ -> 5\.4000$/m)
    assert.match(stdout, /^of which edited by hand: 1$/m)
  })

  test('gives a script every change and the totals, as JSON, JSON lines and CSV', async () => {
    const said = await place.json(`${RERATE} --dry-run`)
    assert.deepEqual([said.dry_run, said.changed, said.changes.length, said.edited_by_hand], [true, COUNT, COUNT, 1])
    const byHand = said.changes.filter((change: { edited_by_hand: boolean }) => change.edited_by_hand)
    assert.deepEqual(
      byHand.map((change: { old_cost: string; new_cost: string }) => [change.old_cost, change.new_cost]),
      [['7.5000', '0.1200']],
    )
    const lines = await place.run(`${RERATE} --dry-run --output ndjson`)
    const changes = lines.stdout.trimEnd().split('\n')
    assert.deepEqual(
      changes.map(line => JSON.parse(line).id),
      said.changes.map(({ id }: { id: number }) => id),
    )
    assert.match(lines.stderr, /^would change 45 of 45 calls: /)
    const csv = await place.done(`${RERATE} --dry-run --output csv`)
    assert.equal(csv.trimEnd().split('\n').length, COUNT + 1)
    const done = await place.json(`${RERATE} --yes`)
    assert.deepEqual({ ...done, dry_run: true }, said)
    const none = await place.json(`${RERATE} --dry-run`)
    assert.deepEqual([none.changed, none.changes], [0, []])
    assert.match(await place.done(`${RERATE} --dry-run --output csv`), /^id,destination_number,[a-z_,]+\n$/)
  })
})
