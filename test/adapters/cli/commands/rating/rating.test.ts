import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow, ndjsonRow } from '../../../../support/data/switch.ts'

/** cost_per_minute, billing_increment, answered_seconds, bill_seconds and cost, as switches and carriers document them. */
const CASES = `
0.01,60,5,60,0.0100
0.01,6,5,6,0.0010
0.50,6,27,30,0.2500
1.00,1,15,15,0.2500
1.00,10,15,20,0.3333
1.00,60,65,120,2.0000
0.03,6,4,6,0.0030
0.03,6,60,60,0.0300
0.006,6,32,36,0.0036
0.006,6,75,78,0.0078
60,1,90,90,90.0000
30,1,110,110,55.0000
30,1,3621,3621,1810.5000
0.05,1,24,24,0.0200
1.20,60,45,60,1.2000
0.1,1,180,180,0.3000
60,1,0,0,0.0000`
  .trim()
  .split('\n')
  .map(line => line.split(','))

const RATE = 'trunkline rate create --tenant acme --status active'

describe('the tools of rating', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  test('a quote needs a number, and an empty one is none', async () => {
    for (const number of ["''", "' '"]) {
      const { code, stdout, stderr } = await place.run(`trunkline rate quote acme ${number}`)
      assert.deepEqual([code, stdout], [64, ''])
      assert.match(stderr, /^error: a number is required: the one to call/)
    }
  })

  test('a quote shows every known case by the rate, the rounding and the arithmetic', async () => {
    for (const [n, [price = '', increment = '', seconds = '', billed = '', cost = '']] of CASES.entries()) {
      const prefix = `7${String(n).padStart(2, '0')}`
      await place.done(
        `${RATE} --prefix ${prefix} --destination Case --cost-per-minute ${price} --billing-increment ${increment}`,
      )
      const line = `trunkline rate quote acme +${prefix}5551234 --seconds ${seconds}`
      const quote = await place.json(line)
      assert.deepEqual(
        [quote.bill_seconds, quote.cost, quote.outcome],
        [...[Number(billed), cost, seconds === '0' ? 'not answered' : 'rated']],
      )
      const { code, stdout } = await place.run(line)
      assert.equal(code, 0)
      assert.match(stdout, new RegExp(`^ +${cost.replace('.', '\\.')}`, 'm'))
      if (seconds === '0') continue
      assert.equal(quote.matching.prefix, prefix)
      const rounding = `${seconds} rounded up to a multiple of ${increment} is ${billed}\n`
      assert.equal(stdout.includes(rounding), seconds !== billed, stdout)
      assert.equal(stdout.includes('a multiple of'), seconds !== billed, stdout)
      assert.ok(stdout.includes(`${billed} s × ${quote.matching.cost_per_minute} / 60 s, `), stdout)
    }
  })

  test('a quote shows each shorter prefix that would have matched', async () => {
    await place.done(
      `${RATE} --prefix 38050 --destination 'Ukraine Mobile' --cost-per-minute 0.0525 --billing-increment 6`,
    )
    const { stdout } = await place.run('trunkline rate quote acme 00380501112233 --seconds 65')
    assert.equal(
      stdout.replaceAll(/\(id \d+\)/g, '(id)'),
      [
        'number    00380501112233 is matched as 380501112233',
        'rate      38050  Ukraine Mobile  0.0525 a minute, by 6 s  (id)',
        '          380  Ukraine  0.0123 a minute, by 60 s  (id), shorter',
        'seconds   65 rounded up to a multiple of 6 is 66',
        'cost      66 s × 0.0525 / 60 s, rounded up to:',
        '          0.0578',
        '',
      ].join('\n'),
    )
  })

  test('a quote names each rate that would have come first if its status were active, and no other', async () => {
    const create = (prefix: string, status: string): Promise<{ id: number }> =>
      place.json(
        `trunkline rate create --tenant acme --prefix ${prefix} --destination Mars --cost-per-minute 2 --billing-increment 60 --status ${status} --force`,
      )
    const [longer, same] = [await create('38063', 'Active'), await create('+380', 'inactive')]
    const shorter = await create('3', 'inactive')
    const line = (id: number, prefix: string, status: string): string =>
      `not used  ${prefix}  Mars  2.0000 a minute, by 60 s  (id ${id}): its status is ${status}`
    const { code, stdout } = await place.run('trunkline rate quote acme +380631112233')
    assert.equal(code, 0)
    assert.match(stdout, /^rate +380 {2}Ukraine/m)
    assert.deepEqual(
      stdout.split('\n').filter(each => each.startsWith('not used')),
      [line(longer.id, '38063', 'Active'), line(same.id, '+380', 'inactive')],
    )
    const { stdout: json } = await place.run('trunkline rate quote acme 3511112233 --output json')
    assert.deepEqual(
      JSON.parse(json).passed_over.map(({ id, status }: Record<string, unknown>) => [id, status]),
      [[shorter.id, 'inactive']],
    )
    for (const { id } of [longer, same, shorter]) await place.done(`trunkline rate delete id:${id} --yes`)
  })

  test('a quote of a number without a rate, of an own number and of no number of seconds', async () => {
    const unmatched = await place.run('trunkline rate quote acme 8880001')
    assert.deepEqual([unmatched.code, /no rate matches/.test(unmatched.stdout)], [1, true])
    const own = await place.run('trunkline rate quote acme +380441234567')
    assert.deepEqual([own.code, /inbound and costs nothing/.test(own.stdout)], [0, true])
    for (const seconds of ['1.5', '-1', 'x', '1e3', "''"])
      assert.equal((await place.run(`trunkline rate quote acme 380 --seconds ${seconds}`)).code, 64, seconds)
    assert.equal((await place.run('trunkline rate quote nobody 380')).code, 67)
  })
})

describe('the calls of a switch, from the command line', () => {
  let place: Workplace
  const ingest = (options: string): string => `trunkline cdr ingest ${place.path('Master.csv')} ${options}`
  before(async () => {
    place = workplace()
    await furnish(place)
    writeFileSync(
      place.path('Master.csv'),
      asteriskRow({ id: '1' }) +
        asteriskRow({ id: '2', to: '4930123456', start: '2026-10-02 12:00:00' }) +
        asteriskRow({ id: '3', accountcode: 'late' }) +
        'garbage\n',
    )
  })
  after(() => place.remove())

  test('are stored, and unusable records are reported', async () => {
    const first = await place.run(ingest('--timezone Europe/Kyiv'))
    assert.deepEqual(first, {
      code: 0,
      stdout: 'stored      2\nknown       0\nquarantined 2\nunrated     1\n',
      stderr:
        'hint: trunkline cdr quarantine list\nhint: trunkline tenant list --fields slug | xargs -I{} trunkline rate check {}\n',
    })
    assert.deepEqual(await place.json(ingest('')), { stored: 0, known: 2, unrated: 0, quarantined: 2, legs: 0 })
  })

  test('with a wrong zone, context or file are refused', async () => {
    assert.equal((await place.run(ingest('--timezone Kyiv'))).code, 64)
    assert.equal((await place.run(ingest('--context acme'))).code, 64)
    assert.equal((await place.run(ingest('--format xml'))).code, 64)
    assert.equal((await place.run('trunkline cdr ingest nowhere.csv')).code, 66)
  })

  test('are listed in quarantine as one JSON list, one CSV table or lines, and replayed once they can be used', async () => {
    const list = await place.json('trunkline cdr quarantine list')
    assert.deepEqual(
      list.map(({ reason, seen }: { reason: string; seen: number }) => [reason, seen]),
      [
        ['there is no tenant "late"', 2],
        ['has 1 columns, not 16, 17, 18, 21', 2],
      ],
    )
    const csv = await place.done('trunkline cdr quarantine list --output csv')
    assert.equal(csv.split('\n').filter(line => line.startsWith('id,reason,')).length, 1)
    const wide = await place.run('trunkline cdr quarantine list', { columns: 80 })
    assert.match(wide.stdout, /^1 {2}there is no tenant "late" \(came 2 times\)\n {4}\S+Master\.csv \(UTC\): /)
    for (const line of wide.stdout.split('\n')) assert.ok(line.length <= 80, line)
    assert.match(wide.stderr, /2 in quarantine; fix the cause/)
    await place.done(
      'trunkline tenant create --name Late --slug late --domain late.example.com --status active --timezone UTC --max-extensions 1',
    )
    assert.deepEqual(await place.run('trunkline cdr quarantine replay'), {
      ...{ code: 1, stdout: 'replayed 1, left 1\n', stderr: '' },
    })
    assert.equal((await place.json('trunkline cdr quarantine list')).length, 1)
  })

  test('without an account code are replayed for the named tenant', async () => {
    writeFileSync(place.path('none.csv'), asteriskRow({ id: '9', accountcode: '', start: '2026-10-03 12:00:00' }))
    assert.equal((await place.json(`trunkline cdr ingest ${place.path('none.csv')}`)).quarantined, 1)
    const replayed = await place.run('trunkline cdr quarantine replay --tenant acme --timezone Europe/Kyiv')
    assert.equal(replayed.stdout, 'replayed 1, left 1\n')
    const [newest] = await place.json('trunkline cdr list --output json')
    assert.equal(newest.started_at, '2026-10-03T09:00:00.000000Z')
  })

  test('whose id a call of another switch has stay in quarantine until their switch is named', async () => {
    const [first, second] = ['one', 'two'].map(name => place.path(`${name}.ndjson`))
    writeFileSync(first ?? '', ndjsonRow({ id: '1', start: '2026-09-01 12:00:00' }))
    writeFileSync(second ?? '', ndjsonRow({ id: '1', to: '00380505555555', start: '2026-09-02 12:00:00' }))
    assert.equal((await place.json(`trunkline cdr ingest ${first}`)).stored, 1)
    const { quarantined, known } = await place.json(`trunkline cdr ingest ${second}`)
    assert.deepEqual([quarantined, known], [1, 0])
    const [, { reason }] = await place.json('trunkline cdr quarantine list')
    assert.match(reason, /^another call, to 00380501112233 at .* has its id "1": .* by --switch$/)
    assert.equal((await place.run('trunkline cdr quarantine replay --switch "pbx 2"')).code, 64)
    assert.equal((await place.run('trunkline cdr quarantine replay')).stdout, 'replayed 0, left 2\n')
    const replayed = await place.run('trunkline cdr quarantine replay --switch pbx-2')
    assert.equal(replayed.stdout, 'replayed 1, left 1\n')
    for (const flags of ['', '--switch pbx-2'])
      assert.equal((await place.json(`trunkline cdr ingest ${second} ${flags}`)).known, 1)
  })

  test('are checked against the rates, and rerated once one is added', async () => {
    const before = await place.run('trunkline rate check acme --since 2026-10-01')
    assert.equal(before.code, 1)
    assert.match(before.stdout, /^dialled without a rate: 1\n {2}49301… {2}1 call$/m)
    await place.done(`${RATE} --prefix 49 --destination Germany --cost-per-minute 0.02 --billing-increment 1`)
    assert.match(
      (await place.run('trunkline rate check acme')).stdout,
      /that would be rated now: 1 \(trunkline cdr rerate/,
    )
    const rerate = 'trunkline cdr rerate --tenant acme --unrated'
    assert.equal((await place.run(rerate)).code, 64, 'it must be confirmed')
    const said = await place.json(`${rerate} --dry-run`)
    assert.deepEqual([said.examined, said.changed, said.old_cost, said.new_cost], [1, 1, '0.0000', '0.0217'])
    const done = await place.json(`${rerate} --yes`)
    assert.deepEqual({ ...done, dry_run: true }, said)
    assert.match((await place.run(`${rerate} --yes`)).stdout, /^changed 0 of 0 calls/)
    assert.equal((await place.run('trunkline rate check acme')).code, 0)
    assert.equal((await place.run('trunkline cdr rerate --tenant acme --since yesterday --dry-run')).code, 64)
  })

  test('that would cost too much are reported by their rate, and stay unrated', async () => {
    const most = '900719925474.0991'
    await place.done(`${RATE} --prefix 77 --destination Slip --cost-per-minute ${most} --billing-increment 1`)
    writeFileSync(place.path('slip.csv'), asteriskRow({ id: '77', to: '77123', start: '2026-08-01 12:00:00' }))
    assert.equal((await place.json(`trunkline cdr ingest ${place.path('slip.csv')}`)).unrated, 1)
    const check = await place.run('trunkline rate check acme --since 2026-08-01 --until 2026-09-01')
    assert.equal(check.code, 1)
    assert.match(check.stdout, /^active rates whose calls would cost more than an amount can hold: 1\n {2}77 {2}Slip /m)
    assert.doesNotMatch(check.stdout, /would be rated now/)
  })

  test('are reported by month as a drawing, JSON and CSV', async () => {
    const report = 'trunkline report usage --tenant acme --month 2026-10'
    const whole = await place.json(`${report} --by destination`)
    assert.deepEqual([whole.timezone, whole.total.calls, whole.total.cost], ['Europe/Kyiv', 4, '0.0955'])
    assert.deepEqual(
      whole.lines.map(({ destination, calls, cost }: Record<string, unknown>) => [destination, calls, cost]),
      [
        ['Ukraine', 2, '0.0492'],
        ['(entered by hand)', 1, '0.0246'],
        ['Germany', 1, '0.0217'],
      ],
    )
    const csv = await place.done(`${report} --by day --output csv`)
    assert.equal(
      csv.split('\n')[0],
      'tenant,month,timezone,day,calls,answered,seconds,bill_seconds,minutes,billed_minutes,cost,answer_seizure_ratio,average_call_duration,unrated',
    )
    for (const columns of [80, 120])
      for (const by of ['day', 'destination', 'extension', 'direction']) {
        const { stdout } = await place.run(`${report} --by ${by} --no-color`, { columns })
        for (const line of stdout.split('\n')) assert.ok([...line].length <= columns, line)
        assert.match(stdout, /█/)
        assert.match(stdout, /^total +4 /m)
      }
    const empty = await place.done('trunkline report usage --tenant acme --month 2020-01 --by day --output csv')
    assert.equal(empty, `${csv.split('\n')[0]}\n`)
    assert.equal((await place.run('trunkline report usage --tenant acme --month 2026-13')).code, 64)
    assert.match((await place.run('trunkline report usage --tenant acme --month 2020-01')).stdout, /^total +0 /m)
  })
})
