import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { missing, unbuilt } from '../../../support/cli/cli.ts'
import { replaceDesk } from '../../../support/cli/replace-desk.ts'
import { atTerminal } from '../../../support/cli/terminal.ts'
import { asteriskRow } from '../../../support/data/switch.ts'

/** The tenant is in Kyiv, two hours ahead of UTC in winter. */
const LATER = '2090-12-01T00:00'
const REPLACE = 'trunkline rate import deck.csv --tenant acme --mode replace'

const { place, rates, deck, run, json } = replaceDesk()

describe('the calls of a tenant whose deck was replaced', () => {
  const NUMBER = '00441112233'

  it('are checked and rated again by the rates of their time', async () => {
    deck('380,Ukraine,0.0123', '44,UK,0.0300')
    await run(`${REPLACE} --effective 2026-10-05T00:00 --yes`)
    const rows = ['2026-10-04 12:00:00', '2026-10-06 12:00:00'].flatMap((start, n) =>
      [NUMBER, '004930111'].map((to, m) => asteriskRow({ id: `${n}${m}`, to, start, seconds: 60 })),
    )
    writeFileSync(place.path('Master.csv'), rows.join(''))
    const { stored, unrated } = await json(`trunkline cdr ingest ${place.path('Master.csv')} --timezone Europe/Kyiv`)
    assert.deepEqual([stored, unrated], [4, 2])
    await run(
      'trunkline rate create --tenant acme --prefix 49 --destination D --cost-per-minute 1 --billing-increment 60 --status active',
    )
    const { stdout } = await run('trunkline rate check acme')
    assert.match(stdout, /^dialled without a rate: 1\n {2}49301… {2}1 call$/m)
    assert.match(stdout, /^unrated calls that would be rated now: 1 /m)
    const rerated = await json('trunkline cdr rerate --tenant acme --yes')
    assert.deepEqual([rerated.examined, rerated.changed, rerated.still_unrated, rerated.without_deck], [4, 1, 1, 0])
    const costs: { destination_number: string; started_at: string; cost: string }[] = await json('trunkline cdr list')
    assert.deepEqual(
      costs.filter(({ destination_number }) => destination_number === NUMBER).map(({ cost }) => cost),
      ['0.0300', '0.0200'],
    )
  })
})

const skip = unbuilt || missing('python3')

describe('at a terminal, replacing a deck', { skip, timeout: 60_000 }, () => {
  const replace = (...more: string[]) =>
    atTerminal(place, ['rate', 'import', place.path('deck.csv'), '--tenant', 'acme', '--mode', 'replace', ...more], 160)

  it('counts first, and does nothing unless that is requested', async () => {
    const refused = replace()
    await refused.until('1 new, 1 changed, 1 unchanged, 0 go')
    await refused.until('Replace the rates of acme?')
    refused.type('n\r')
    assert.equal(await refused.ended(), 1)
    assert.deepEqual(await rates(), ['380 123', '44 200'])
    const agreed = replace('--effective', LATER)
    await agreed.until('Replace the rates of acme from 2090-12-01 00:00 Europe/Kyiv (2090-11-30T22:00:00Z) on?')
    agreed.type('y\r')
    await agreed.until('pending; takes effect at 2090-12-01 00:00')
    assert.equal(await agreed.ended(), 0)
  })

  it('asks about a file without rows even with --yes', async () => {
    deck()
    const terminal = replace('--yes')
    await terminal.until('Leave acme without any rate?')
    terminal.type('y\r')
    assert.equal(await terminal.ended(), 0)
    assert.deepEqual(await rates(), [])
  })
})
