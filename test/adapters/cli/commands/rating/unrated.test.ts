import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { callIds, furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

let place: Workplace
/** The first call was entered by hand; the others are from the switch. */
let calls: readonly number[]
before(async () => {
  place = workplace()
  await furnish(place)
  await place.done(
    'trunkline rate create --tenant acme --prefix 44 --destination UK --cost-per-minute 900000000 --billing-increment 1 --status active',
  )
  const rows = [
    asteriskRow({ id: '1' }),
    asteriskRow({ id: '2', to: '0088123456', seconds: 30 }),
    asteriskRow({ id: '3', to: '00441234567', seconds: 100_000_000 }),
    asteriskRow({ id: '4', accountcode: 'nobody' }),
  ]
  writeFileSync(place.path('Master.csv'), rows.join(''))
  await place.done(`trunkline cdr ingest ${place.path('Master.csv')}`)
  calls = await callIds(place)
})
after(() => place.remove())

/** Of the call that was stored as this one, from 1. */
const shown = async (nth: number) => {
  const { outcome, unrated, unrated_because } = await place.json(`trunkline cdr show ${calls[nth - 1]}`)
  return [outcome, unrated, unrated_because]
}

describe('a call that is shown', () => {
  it('says how it was rated', async () => {
    assert.deepEqual(await shown(1), [null, false, null])
    assert.deepEqual(await shown(2), ['rated', false, null])
    const { stdout } = await place.run(`trunkline cdr show ${calls[1]}`)
    assert.match(stdout, /^outcome {13}rated\nunrated {13}no\n$/m)
    assert.doesNotMatch((await place.run(`trunkline cdr show ${calls[0]}`)).stdout, /outcome|because/)
  })

  it('says that it is unrated, why, and the command that explains it', async () => {
    const because = '0088123456 is matched as 88123456, and no rate matches that'
    assert.deepEqual(await shown(3), ['no match', true, because])
    const { code, stdout, stderr } = await place.run(`trunkline cdr show ${calls[2]}`)
    assert.equal(code, 0)
    assert.ok(
      stdout.endsWith(`outcome             no match\nunrated             yes\nunrated_because     ${because}\n`),
    )
    assert.equal(stderr, 'hint: trunkline rate quote --tenant acme --seconds 30 --at <time> -- 0088123456\n')
    const quote = await place.run(
      'trunkline rate quote --tenant acme --seconds 30 --at 2026-10-01T12:00:00Z -- 0088123456',
    )
    assert.match(quote.stdout, /no rate matches/)
    assert.deepEqual(await shown(4), ['too large', true, 'by the rate of 44 its cost exceeds what an amount can hold'])
  })

  it('says so in CSV and with --fields as well', async () => {
    const csv = await place.done(`trunkline cdr show ${calls[2]} --output csv --fields id,outcome,unrated`)
    assert.equal(csv, `id,outcome,unrated\n${calls[2]},no match,yes\n`)
    assert.match(await place.done(`trunkline cdr show ${calls[2]} -o csv`), /,outcome,unrated,unrated_because\n/)
  })
})

describe('unrated calls and those in quarantine', () => {
  it('are counted by status, each with the command that shows them', async () => {
    const { stdout } = await place.run('trunkline status')
    assert.match(
      stdout,
      /^unrated calls {10}2 {2}trunkline cdr list --unrated\nin quarantine {10}1 {2}trunkline cdr quarantine list\n/m,
    )
    const { unrated, quarantined } = await place.json('trunkline status')
    assert.deepEqual([unrated, quarantined], [2, 1])
  })

  it('are found by doctor', async () => {
    const { stdout } = await place.run('trunkline doctor --output json')
    const found = JSON.parse(stdout).map(({ kind, finding, fix }: Record<string, string>) => [kind, finding, fix])
    for (const expected of [
      [
        'unrated',
        '2 calls are unrated: no rate matched, or the cost would be too large',
        'trunkline cdr list --unrated',
      ],
      ['quarantine', '1 call record waits in quarantine', 'trunkline cdr quarantine list'],
    ])
      assert.deepEqual(
        found.find(([kind]: string[]) => kind === expected[0]),
        expected,
      )
  })

  it('are gone once there is a rate and they are rerated', async () => {
    await place.done(
      'trunkline rate create --tenant acme --prefix 88 --destination Satellite --cost-per-minute 1 --billing-increment 1 --status active',
    )
    assert.deepEqual(await shown(3), ['no match', true, 'no rate matched when it was rated; one does now'])
    const { stderr } = await place.run(`trunkline cdr show ${calls[2]}`)
    assert.equal(stderr, 'hint: trunkline cdr rerate --tenant acme --unrated --dry-run\n')
    await place.done('trunkline cdr rerate --tenant acme --unrated --yes')
    assert.deepEqual(await shown(3), ['rated', false, null])
    assert.equal((await place.json('trunkline status')).unrated, 1)
  })
})
