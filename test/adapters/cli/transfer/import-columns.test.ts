import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Desk, deck, openDesk, RATES } from '../../../support/cli/imports.ts'

const FLAGS = ['--tenant', 'acme']

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

const hintIn = (stderr: string): string | undefined => /^hint: (.*)$/m.exec(stderr)?.[1]

describe('a column', () => {
  const HEADERS = [
    'Tenant,Prefix,DESTINATION,Cost per minute,Billing-Increment,Status,Created At',
    'TENANT, prefix ,Destination,cost.per.minute,billing increment,status,ID',
    'tenant,PREFIX,destination,COST_PER_MINUTE,BILLING  INCREMENT,STATUS,Import Error',
  ]

  it('is a field in any case, with blanks, dots or dashes for underscores', async () => {
    for (const [i, header] of HEADERS.entries()) {
      const { summary, stderr } = await desk.take('rates', `${header}\nacme,38${i},Ukraine,1,60,active,7\n`, [])
      assert.equal(summary.created, 1, stderr)
    }
    assert.deepEqual(
      (await desk.query(RATES)).map(row => row.split('|')[0]),
      ['380', '381', '382'],
    )
  })

  it('of JSON objects is a field in the same way, however each object writes it', async () => {
    const rows = [
      { Prefix: '380', Destination: 'x', 'Cost per minute': '1', 'Billing.Increment': 60, STATUS: 'active' },
      { prefix: '381', destination: 'x', cost_per_minute: '1', billing_increment: 60, status: 'active' },
    ]
    const { summary } = await desk.take('rates', rows.map(row => JSON.stringify(row)).join('\n'), FLAGS, 'in.ndjson')
    assert.equal(summary.created, 2)
  })

  it('that occurs twice, written in two ways, is refused', async () => {
    const { stderr } = await desk.take('rates', deck('380,x,1,60,active,381').replace('\n', ',Prefix\n'), FLAGS)
    assert.match(stderr, /^in\.csv:1: Prefix: The column is the same field as prefix\.$/m)
    const row = { prefix: '380', Prefix: '381', destination: 'x', cost_per_minute: '1', billing_increment: 60 }
    const twice = await desk.take('rates', JSON.stringify(row), [...FLAGS, '--set', 'status=active'], 'in.ndjson')
    assert.match(twice.stderr, /^in\.ndjson:1: Prefix: The column is the same field as prefix\.$/m)
  })

  it('that is required is reported missing in each object if --map ignores it', async () => {
    const row = { prefix: '380', destination: 'x', cost_per_minute: '1', billing_increment: 60, status: 'active' }
    const text = JSON.stringify(row)
    const { stderr } = await desk.take('rates', text, [...FLAGS, '--map', 'status='], 'in.ndjson')
    assert.match(stderr, /^in\.ndjson:1: status: The status field is required\.$/m)
    const { summary } = await desk.take(
      'rates',
      text,
      [...FLAGS, '--map', 'status=', '--set', 'status=active'],
      'in.ndjson',
    )
    assert.equal(summary.created, 1)
  })

  it('follows --map rather than its own name, with both sides written in any way', async () => {
    const text = 'Prefix,Name,PRICE,destination,billing_increment\nnot this,380,1,x,60\n'
    const maps = ['Prefix=', 'name=Prefix', 'Price=Cost Per Minute'].flatMap(map => ['--map', map])
    await desk.take('rates', text, [...FLAGS, ...maps, '--set', 'Status=active'])
    assert.deepEqual(await desk.query(RATES), ['380|x|10000|60|active'])
  })
})

describe('a column that is nearly the name of a field', () => {
  const text = 'Prefxi,COST_PR_MINUTE,Biling increment,destination,status\n380,1,60,Ukraine,active\n'
  const maps = ['Prefxi=prefix', 'COST_PR_MINUTE=cost_per_minute', 'Biling increment=billing_increment']

  it('is refused, with the `--map` options that name the field ready to paste', async () => {
    const { stderr, summary } = await desk.take('rates', text, FLAGS)
    assert.match(stderr, /^in\.csv:1: Prefxi: Rates have no field "Prefxi"; did you mean prefix\?$/m)
    assert.deepEqual([summary.created, await desk.query(RATES)], [0, []])
    assert.equal(
      hintIn(stderr),
      `trunkline cdr import in.csv --tenant acme --map ${maps[0]} --map ${maps[1]} --map '${maps[2]}'`,
    )
    await desk.take('rates', text, [...FLAGS, ...maps.flatMap(map => ['--map', map])])
    assert.deepEqual(await desk.query(RATES), ['380|Ukraine|10000|60|active'])
  })

  it('is reported the same way of the members of objects', async () => {
    const row = { Prefxi: '380', destination: 'x', cost_per_minute: '1', billing_increment: 60, status: 'active' }
    const { stderr } = await desk.take('rates', `${JSON.stringify(row)}\n`.repeat(2), FLAGS, 'in.ndjson')
    assert.equal(hintIn(stderr), 'trunkline cdr import in.ndjson --tenant acme --map Prefxi=prefix')
  })

  it('has no hint that would import stored rows again', async () => {
    const row = { prefix: '380', destination: 'x', cost_per_minute: '1', billing_increment: 60, status: 'active' }
    const rows = [row, { ...row, prefix: undefined, Prefxi: '381' }].map(each => JSON.stringify(each)).join('\n')
    const { stderr, summary } = await desk.take('rates', rows, [...FLAGS, '--on-error', 'continue'], 'in.ndjson')
    assert.deepEqual([summary.created, hintIn(stderr)], [1, undefined])
  })
})

it('for a column unlike any field, the error says how to ignore it, and no command is suggested', async () => {
  const text = 'prefix,destination,cost_per_minute,billing_increment,status,Grace Time\n380,x,1,60,active,0\n'
  const { stderr } = await desk.take('rates', text, FLAGS)
  assert.equal(
    stderr.split('\n')[0],
    `in.csv:1: Grace Time: Rates have no field "Grace Time". Name it with --map, or ignore it with --map 'Grace Time='.`,
  )
  assert.equal(hintIn(stderr), undefined)
  await desk.take('rates', text, [...FLAGS, '--map', 'Grace Time='])
  assert.deepEqual(await desk.query(RATES), ['380|x|10000|60|active'])
})

it('control characters in a header or a prefix are not printed, and appear in no suggested command', async () => {
  const named = await desk.take('rates', deck().replace('prefix', '\u001bcprefix'), FLAGS)
  assert.match(named.stderr, /^in\.csv:1: prefix: Rates have no field "\\u001bcprefix"; did you mean prefix\?$/m)
  assert.equal(hintIn(named.stderr), undefined)
  assert.doesNotMatch(named.stderr, /\u001b/)
  const warned = await desk.take('rates', deck('44\u001b[2Ja,x,1,60,active'), FLAGS)
  assert.match(warned.stderr, /^in\.csv:2: warning: prefix: 44a is kept/m)
})

it('a row that names the separator for spreadsheets is skipped', async () => {
  for (const separator of [';', '\t', ',']) {
    const text = deck(`38${separator.charCodeAt(0)},x,1,60,active`).replaceAll(',', separator)
    const { summary } = await desk.take('rates', `sep=${separator}\r\n${text}`, FLAGS)
    assert.deepEqual([summary.rows, summary.created], [1, 1])
  }
})
