import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { startDaemon } from '../../../../support/daemon.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

const rate = (prefix: string, destination: string): string =>
  `trunkline rate create --tenant gotham --prefix ${prefix} --destination ${destination} --cost-per-minute 0.06 --billing-increment 1 --status active`

const SETUP = [
  'trunkline init --email admin@example.com --password-file -',
  `trunkline tenant create --name Gotham --slug gotham --domain gotham.example.com --status active --timezone America/New_York --max-extensions 9 --settings '{"theme":"dark","serial":12345678901234567890}'`,
  'trunkline extension create --tenant gotham --extension-number 101 --display-name Desk --secret-file - --status active',
  'trunkline did create --tenant gotham --number +12125550101 --provider X --status active',
  rate('1', 'USA'),
  rate('212', 'Morocco'),
  rate('380', 'Ukraine'),
  rate('91', 'India'),
  rate('44', 'UK'),
]

/** Number, and the prefix that rates its call before and after the tenant has a country. */
const CALLS: readonly (readonly [number: string, before: string, after: string])[] = [
  ['2125550123', '212', '1'],
  ['12125550123', '1', '1'],
  ['+12125550123', '1', '1'],
  ['011380441234567', 'no match', '380'],
  ['380441234567', '380', '380'],
  ['911', '91', 'emergency'],
  ['4411', '44', 'no match'],
  ['3125550123', 'no match', '1'],
  ['2125550101', '212', 'inbound'],
]

describe('a tenant in New York', () => {
  let place: Workplace
  const file = () => place.path('Master.csv')
  before(async () => {
    place = workplace()
    for (const line of SETUP) await place.done(line, { input: 'kW3-9fQm-Zt81\n' })
    const rows = CALLS.map(([to], n) => asteriskRow({ id: `${n}`, accountcode: 'gotham', to, seconds: 60 }))
    const fromOwn = asteriskRow({ id: 'own', accountcode: 'gotham', from: '2125550101', to: '+442079460018' })
    writeFileSync(file(), [...rows, fromOwn].join(''))
  })
  after(() => place.remove())

  /** How the calls are rated, by their numbers: prefix or outcome. */
  const ratings = async (): Promise<unknown[]> => {
    const found = new Map<string, string>()
    for (const { id, destination_number } of await place.json('trunkline cdr list --tenant gotham')) {
      const { prefix, outcome } = (await place.json(`trunkline cdr ratings ${id}`)).at(-1)
      found.set(destination_number, prefix ?? outcome)
    }
    return CALLS.map(([number]) => [number, found.get(number)])
  }
  const quote = (number: string) => place.run(`trunkline rate quote gotham ${number}`)

  test('that has not set its country is billed as if national numbers were international, and is reported', async () => {
    assert.match((await quote('2125550123')).stdout, /^rate +212 {2}Morocco/m)
    await place.done(`trunkline cdr ingest ${file()} --quiet`)
    assert.deepEqual(
      await ratings(),
      CALLS.map(([number, was]) => [number, was]),
    )
    const fix = 'trunkline tenant update gotham --settings-set dialling.country=US'
    const check = await place.run('trunkline rate check gotham')
    assert.ok(check.stdout.includes(`while the tenant has no country: 1 (${fix})\n`), check.stdout)
    const { stdout: json } = await place.run('trunkline rate check gotham --output json')
    assert.deepEqual(JSON.parse(json).national, { calls: 1, country: 'US', fix })
    const findings = JSON.parse((await place.run('trunkline doctor --output json')).stdout)
    const found = findings.find(({ kind }: { kind: string }) => kind === 'no_country')
    assert.match(found.finding, /^1 unrated call of tenant gotham went to numbers that look national/)
    assert.equal(found.fix, fix)
    await place.done(found.fix)
    const shown = await place.done('trunkline tenant show gotham --output json')
    assert.match(shown, /"theme": "dark",\s+"serial": 12345678901234567890,\s+"dialling": \{\s+"country": "US"\s+\}/)
  })

  test('gets quotes that say how each number is read', async () => {
    const said: Record<string, string> = {
      2125550123: '2125550123 is a national number of US: 12125550123',
      '"+1 212 555 0123"': '+1 212 555 0123 is matched as 12125550123',
      '011380441234567': '011380441234567 is matched as 380441234567',
      112: '112 is an emergency number of US: only a rate for 112 or 1112 matches it',
      911: '911 is an emergency number of US: only a rate for 1911 matches it',
      411: '411 is a short number of US: only a rate for 411 or 1411 matches it',
      5550123: '5550123 is a local number of US, and the tenant has no area_code: no rate matches it',
      55501: '55501 is not a number that can be dialled in US: no rate matches it',
    }
    for (const [number, sentence] of Object.entries(said)) {
      const { stdout } = await quote(number)
      assert.ok(stdout.startsWith(`number    ${sentence}\n`), stdout)
    }
    assert.match((await quote('911')).stdout, /0\.0000.*an emergency call costs nothing/)
    assert.equal((await quote('911')).code, 0)
    assert.equal((await quote('411')).code, 1)
    assert.match((await quote('212-555-0101')).stdout, /own numbers: the call is inbound/)
    const { digits, number_kind } = await place.json('trunkline rate quote gotham 2125550123')
    assert.deepEqual([digits, number_kind], ['12125550123', 'national'])
  })

  test('has past calls corrected, including the direction of calls to its own number', async () => {
    const rerate = 'trunkline cdr rerate --tenant gotham'
    const said = await place.json(`${rerate} --dry-run`)
    const inbound = said.changes.find((change: Record<string, unknown>) => change['new_direction'] === 'inbound')
    assert.deepEqual(
      [inbound.destination_number, inbound.old_direction, inbound.new_cost],
      [...['2125550101', 'outbound', '0.0000']],
    )
    const done = await place.json(`${rerate} --yes`)
    assert.deepEqual({ ...done, dry_run: true }, said)
    assert.deepEqual(
      await ratings(),
      CALLS.map(([number, , is]) => [number, is]),
    )
    const [former, present] = await place.json(`trunkline cdr ratings ${inbound.id}`)
    assert.deepEqual([former.direction, present.direction], ['outbound', 'inbound'])
    const [call] = (await place.json('trunkline cdr list --tenant gotham')).filter(
      ({ id }: { id: number }) => id === inbound.id,
    )
    assert.equal(call.direction, 'inbound')
    assert.equal((await place.json(`${rerate} --dry-run`)).changed, 0)
    const check = await place.run('trunkline rate check gotham')
    assert.doesNotMatch(check.stdout, /no country/)
    assert.match(check.stdout, /^ {2}14411 \(a short number; a rate must be for this very prefix\) {2}1 call$/m)
  })

  test('gets the calls of its DID however the switch writes it, and a second ingest stores nothing', async () => {
    const calls = await place.json('trunkline cdr list --tenant gotham')
    const own = calls.find(({ caller_number }: Record<string, unknown>) => caller_number === '2125550101')
    assert.equal(own.direction, 'outbound')
    assert.equal((await place.json(`trunkline cdr ingest ${file()}`)).stored, 0)
    const ways = ['12125550101', '2125550101', '+1 212 555 0101', '(212) 555-0101']
    writeFileSync(
      file(),
      ways
        .map((to, n) => asteriskRow({ id: `in ${n}`, accountcode: 'gotham', from: '+380441112233', to, seconds: 60 }))
        .join(''),
    )
    assert.equal((await place.json(`trunkline cdr ingest ${file()}`)).stored, ways.length)
    const inbound = await place.json('trunkline cdr list --tenant gotham --limit 4')
    for (const { direction, cost } of inbound) assert.deepEqual([direction, cost], ['inbound', '0.0000'])
  })

  test('has one DID however it is written, and a second form of it is reported', async () => {
    for (const written of ['12125550101', '2125550101', '"+1 212 555 0101"', '"(212) 555-0101"'])
      assert.equal((await place.json(`trunkline did show ${written}`)).number, '+12125550101', written)
    assert.equal((await place.run('trunkline did show 5550101')).code, 67)
    await place.done('trunkline route add --did "(212) 555-0101" --target-type extension --target gotham/101')
    const { stderr } = await place.run(
      'trunkline did create --tenant gotham --number 2125550101 --provider X --status active',
    )
    assert.match(stderr, /^warning: there is another DID \+12125550101, id:1; this one is id:2$/m)
    const findings = JSON.parse((await place.run('trunkline doctor --output json')).stdout)
    const found = findings.find(({ kind }: { kind: string }) => kind === 'same_key')
    assert.equal(found.finding, 'DIDs 2 and 1 have the same number (2125550101, +12125550101)')
    assert.equal(found.fix, 'trunkline did delete id:2')
    await place.done('trunkline did delete id:2 --yes')
  })

  test('imports routes by the number of a DID, however it is written', async () => {
    const file = place.path('routes.csv')
    for (const number of ['+12125550102', '+12125550103', '+12125550104'])
      await place.done(`trunkline did create --tenant gotham --number ${number} --provider X --status active`)
    const imported = (...written: readonly string[]) => {
      writeFileSync(file, `did,target_type,target\n${written.map(did => `${did},extension,gotham/101\n`).join('')}`)
      return place.run(`trunkline route import ${file} --output json`)
    }
    const { stdout, stderr } = await imported('12125550102', '2125550103', '(212) 555-0104')
    assert.equal(JSON.parse(stdout).created, 3, stderr)
    assert.match((await imported('2125550199')).stdout, /selected did is invalid/)
  })
})

test('a feed is read by the country of its tenant as soon as the tenant sets one', async () => {
  const place = workplace()
  for (const line of SETUP) await place.done(line, { input: 'kW3-9fQm-Zt81\n' })
  const path = place.path('Followed.csv')
  /** Calls, followed by as many unusable records: the log names those once all are stored. */
  const write = (unusable: number, ...calls: (readonly [from: string, to: string])[]): void =>
    appendFileSync(
      path,
      calls
        .map(([from, to]) => asteriskRow({ id: `${from} ${to}`, accountcode: 'gotham', from, to, seconds: 60 }))
        .join('') +
        Array.from({ length: unusable }, (_, n) => asteriskRow({ id: `${unusable} ${n}`, accountcode: 'late' })).join(
          '',
        ),
    )
  write(1, ['101', '2125550120'])
  const daemon = await startDaemon({
    TRUNKLINE_DB: place.db,
    TRUNKLINE_FEEDS: JSON.stringify([{ format: 'asterisk-csv', path }]),
  })
  try {
    await daemon.untilLogged('"quarantined":1')
    await place.done('trunkline tenant update gotham --settings-set dialling.country=US')
    write(2, ['101', '2125550123'], ['101', '011380441234567'], ['+380441234567', '(212) 555-0101'])
    await daemon.untilLogged('"quarantined":2')
  } finally {
    await daemon.stop()
  }
  const found: string[] = []
  for (const { id, destination_number, direction, cost } of await place.json('trunkline cdr list')) {
    const { prefix } = (await place.json(`trunkline cdr ratings ${id}`)).at(-1)
    found.push([destination_number, direction, prefix, cost].join(' '))
  }
  assert.deepEqual(found.sort(), [
    '(212) 555-0101 inbound  0.0000',
    '011380441234567 outbound 380 0.0600',
    '2125550120 outbound 212 0.0600',
    '2125550123 outbound 1 0.0600',
  ])
  place.remove()
})

test('a tenant with local calls names its area code', async () => {
  const place = workplace()
  for (const line of SETUP) await place.done(line, { input: 'kW3-9fQm-Zt81\n' })
  await place.done(`trunkline tenant update gotham --settings '{"dialling":{"country":"US","area_code":"212"}}'`)
  const { stdout } = await place.run('trunkline rate quote gotham 5550123')
  assert.match(stdout, /^number {4}5550123 is a local number of US, area code 212: 12125550123$/m)
  assert.equal((await place.json('trunkline did show 5550101')).number, '+12125550101')
  place.remove()
})
