import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { replaceDesk } from '../../../support/cli/replace-desk.ts'
import { digestOf } from '../../../support/data/content.ts'

/** The tenant is in Kyiv, two hours ahead of UTC in winter. */
const LATER = '2090-12-01T00:00'
const REPLACE = 'trunkline rate import deck.csv --tenant acme --mode replace'

const { place, change, rates, deck, run, json } = replaceDesk()

/** Pretends that the moment has come. */
const makeDue = (): Promise<unknown> =>
  change(`UPDATE decks SET effective_at = '2026-10-05T00:00:00.000000Z' WHERE state = 'pending'`)

describe('rate import --mode replace', () => {
  it('says what is new, changed, unchanged and gone, in words and as JSON', async () => {
    deck('380,Ukraine,0.0123', '49,Germany,0.0400')
    const { stderr } = await run(`${REPLACE} --yes`)
    assert.match(stderr, /: 2 rows: 1 created, 1 unchanged, 1 removed, 0 rejected; /)
    assert.match(stderr, /^in force for calls that start from \S+ \S+ Europe\/Kyiv \(\S+Z\) on; earlier calls keep/m)
    assert.deepEqual(await rates(), ['380 123', '49 400'])
    const { created, updated, unchanged, removed } = await json(`${REPLACE} --yes`)
    assert.deepEqual([created, updated, unchanged, removed], [0, 0, 2, 0])
  })

  it('in a dry run says the same and changes no byte', async () => {
    const before = await digestOf(place.db)
    for (const more of ['', ` --effective ${LATER}`, ' --effective 2020-01-01'])
      assert.match(
        (await run(`${REPLACE} --dry-run${more}`)).stderr,
        /: 3 rows: 1 would be created, 1 would be updated, 1 unchanged, 0 rejected; /,
      )
    assert.equal(await digestOf(place.db), before)
  })

  it('is refused in a script where rates go, unless it says --yes', async () => {
    deck('380,Ukraine,0.0123')
    const { code, stderr } = await run(REPLACE)
    assert.equal(code, 64)
    assert.match(stderr, /must be confirmed \(0 new, 0 changed, 1 unchanged, 1 go\): look with --dry-run, /)
    assert.match(stderr, /^hint: trunkline rate import \S+ --tenant acme --mode replace --dry-run$/m)
    assert.deepEqual(await rates(), ['380 123', '44 200'])
    deck('380,Ukraine,0.0123', '44,UK,0.0300')
    assert.equal((await run(REPLACE)).code, 0, 'where none goes, it needs no word')
    assert.deepEqual(await rates(), ['380 123', '44 300'])
  })

  it('never takes a file without rows for a deck without rates, whatever else is agreed to', async () => {
    deck()
    for (const flags of ['', '--yes']) {
      const { code, stderr } = await run(`${REPLACE} ${flags}`)
      assert.equal(code, 65)
      assert.match(stderr, /there are no rows: acme would be left without any rate\nhint: .*--allow-empty/)
      assert.equal((await rates()).length, 2)
    }
    assert.equal((await run(`${REPLACE} --allow-empty`)).code, 64, 'rates go all the same')
    assert.equal((await run(`${REPLACE} --allow-empty --yes`)).code, 0)
    assert.deepEqual(await rates(), [])
  })

  it('with a bad row stores nothing, and does not offer to skip it', async () => {
    deck('380,Ukraine,0.0123', '44,UK,bad')
    const { code } = await run(`${REPLACE} --yes`)
    assert.deepEqual([code, (await rates()).length], [65, 2])
    const lenient = await run(`${REPLACE} --yes --on-error continue`)
    assert.equal(lenient.code, 64)
    assert.match(lenient.stderr, /all or nothing: .* the rates of bad rows would be deleted/)
    assert.equal((await rates()).length, 2)
  })

  it('needs a tenant and works for rates only, and its flags work only with it', async () => {
    assert.match((await run('trunkline rate import deck.csv --mode replace')).stderr, /needs --tenant/)
    assert.equal((await run('trunkline did import deck.csv --tenant acme --mode replace')).code, 64)
    for (const flag of ['--yes', '--allow-empty', `--effective ${LATER}`]) {
      const { code, stderr } = await run(`trunkline rate import deck.csv --tenant acme ${flag}`)
      assert.deepEqual([code, /works only with --mode replace\nhint: .* --mode replace$/m.test(stderr)], [64, true])
    }
    assert.doesNotMatch((await run('trunkline did import --help')).stdout, /replace|--effective/)
  })
})

describe('rate import --effective', () => {
  it('keeps the deck for that moment of the tenant’s time zone', async () => {
    const { stderr } = await run(`${REPLACE} --effective ${LATER} --yes`)
    assert.match(stderr, /: 3 rows: 1 to be created, 1 to be updated, 1 unchanged, 0 rejected; /)
    assert.match(stderr, /^pending; takes effect at 2090-12-01 00:00 Europe\/Kyiv \(2090-11-30T22:00:00Z\)$/m)
    assert.match(stderr, /^hint: trunkline rate pending list acme$/m)
    assert.deepEqual(await rates(), ['380 123', '44 200'])
    const [listed, ...others] = await json('trunkline rate pending list')
    assert.deepEqual(
      [listed.tenant, listed.effective, listed.timezone, listed.effective_at, listed.state, listed.rates, listed.file],
      ['acme', '2090-12-01 00:00', 'Europe/Kyiv', '2090-11-30T22:00:00.000000Z', 'pending', 3, 'deck.csv'],
    )
    assert.deepEqual(others, [])
  })

  it('of a moment that is past takes effect at once, confirmed, and names the command for the calls since', async () => {
    const past = `${REPLACE} --effective 2026-10-01T00:00`
    const { code, stderr } = await run(past)
    assert.equal(code, 64)
    assert.match(
      stderr,
      /a deck that takes effect in the past must be confirmed \(1 new, 1 changed, 1 unchanged, 0 go\)/,
    )
    const { stderr: said } = await run(`${past} --yes`)
    assert.match(
      said,
      /^in force for calls that start from 2026-10-01 00:00 Europe\/Kyiv \(2026-09-30T21:00:00Z\) on; /m,
    )
    assert.match(said, /^hint: trunkline cdr rerate --tenant acme --since 2026-09-30T21:00:00Z --dry-run$/m)
    assert.deepEqual(await rates(), ['380 123', '44 300', '49 400'])
  })

  it('is refused for an invalid moment, and for one that another deck is pending for', async () => {
    assert.match(
      (await run(`${REPLACE} --effective soon`)).stderr,
      /--effective must be a day, or a day and a time such as/,
    )
    await run(`${REPLACE} --effective ${LATER} --yes`)
    const { code, stderr } = await run(`${REPLACE} --effective ${LATER} --yes`)
    assert.equal(code, 65)
    assert.match(stderr, /is already pending for that moment.*\nhint: trunkline rate pending list\n/)
  })

  it('takes effect with the next command on rates or calls where no daemon runs, but not with a dry run', async () => {
    await run(`${REPLACE} --effective ${LATER} --yes`)
    await makeDue()
    deck('1,a,1')
    await run(`${REPLACE} --dry-run`)
    assert.deepEqual(await rates(), ['380 123', '44 200'])
    assert.equal((await json('trunkline rate list')).length, 3)
    assert.deepEqual(await rates(), ['380 123', '44 300', '49 400'])
    const [applied] = await json('trunkline audit list --action apply')
    assert.deepEqual([applied.changes.file, applied.changes.created], ['deck.csv', 1])
  })
})

describe('rate pending', () => {
  it('says so when there is nothing, and lists those of one tenant, with the past ones on demand', async () => {
    assert.match((await run('trunkline rate pending list')).stderr, /^no deck is pending$/m)
    assert.match((await run('trunkline rate pending list acme --all')).stderr, /^no deck has been replaced yet$/m)
    await run(`${REPLACE} --effective 2026-10-01T00:00 --yes`)
    deck('1,a,1')
    await run(`${REPLACE} --effective ${LATER} --yes`)
    assert.equal((await json('trunkline rate pending list --tenant acme')).length, 1)
    const all: { state: string; effective: string; rates: number }[] = await json(
      'trunkline rate pending list acme --all',
    )
    assert.deepEqual(
      all.map(({ state, effective, rates }) => [state, effective, rates]),
      [
        ['past', '(from the start)', 2],
        ['in force', '2026-10-01 00:00', 3],
        ['pending', '2090-12-01 00:00', 1],
      ],
    )
  })

  it('cancels a deck that is pending, confirmed, and no other', async () => {
    await run(`${REPLACE} --effective ${LATER} --yes`)
    const [{ id }] = await json('trunkline rate pending list')
    assert.equal((await run(`trunkline rate pending cancel ${id}`)).code, 64)
    assert.equal((await run('trunkline rate pending cancel 999 --yes')).code, 67)
    assert.equal((await run('trunkline rate pending cancel acme --yes')).code, 64)
    assert.equal((await run(`trunkline rate pending cancel ${id} --yes`)).stderr, `Deck ${id} cancelled.\n`)
    assert.deepEqual(await json('trunkline rate pending list'), [])
    const [cancelled] = await json('trunkline audit list --resource decks')
    assert.deepEqual([cancelled.action, cancelled.record_id, cancelled.changes.rates], ['delete', id, 3])
    await run(`${REPLACE} --effective ${LATER} --yes`)
    await makeDue()
    const [{ id: due }] = await json('trunkline rate pending list --all').then(all => all.slice(-1))
    const { code, stderr } = await run(`trunkline rate pending cancel ${due} --yes`)
    assert.deepEqual([code, /is not pending: it is in force/.test(stderr)], [65, true])
  })
})

describe('rate quote --at', () => {
  it('quotes by the deck of that moment, and says which that is', async () => {
    await run(`${REPLACE} --effective ${LATER} --yes`)
    const now = await json('trunkline rate quote acme +44123')
    assert.deepEqual([now.cost, now.matching.destination, now.deck_effective_at], ['0.0200', 'UK', null])
    const then = await json(`trunkline rate quote acme +44123 --at ${LATER}`)
    assert.deepEqual(
      [then.cost, then.matching.destination, then.deck_effective_at],
      ['0.0300', 'UK', '2090-11-30T22:00:00.000000Z'],
    )
    const { stdout } = await run(`trunkline rate quote acme +4912 --at ${LATER}`)
    assert.match(stdout, /^deck +from 2090-12-01 00:00 Europe\/Kyiv \(2090-11-30T22:00:00Z\), pending\n/)
    assert.match(stdout, /^rate +49 {2}Germany {2}0\.0400 a minute, by 60 s$/m, 'it has no id yet')
    assert.equal(await json(`trunkline rate quote acme +4912 --at 2090-11-30T23:59:59`).catch(() => null), null)
    assert.equal((await run('trunkline rate quote acme +4912 --at never')).code, 64)
  })

  it('knows what a rate of the past was called', async () => {
    deck('380,Ukraine,0.0123', '44,Britain,0.5')
    await run(`${REPLACE} --effective 2026-10-01 --yes`)
    const { matching } = await json('trunkline rate quote acme +44123 --at 2026-09-30')
    assert.deepEqual([matching.destination, matching.cost_per_minute], ['UK', '0.0200'])
  })
})
