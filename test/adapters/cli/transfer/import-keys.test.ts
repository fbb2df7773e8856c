import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Desk, deck, errorsOf, openDesk, RATES } from '../../../support/cli/imports.ts'

const FLAGS = ['--tenant', 'acme']

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme', max_extensions: 3 })
})
afterEach(() => desk.close())

describe('natural keys', () => {
  const stored = '380,Ukraine,0.01,60,active'

  it('are refused in insert mode when a record has them', async () => {
    await desk.take('rates', deck(stored), FLAGS)
    assert.deepEqual(await errorsOf(desk, deck('44,UK,1,60,active', '380,x,1,60,active')), [
      'deck.csv:3: prefix: The prefix has already been taken.',
    ])
    assert.deepEqual(await desk.query(RATES), ['380|Ukraine|100|60|active'])
  })

  it('change the record in upsert mode, and leave it alone in skip mode', async () => {
    await desk.take('rates', deck(stored), FLAGS)
    const upsert = await desk.take('rates', deck('380,UA,2,6,active', '44,UK,1,60,active'), [
      ...FLAGS,
      '--mode',
      'upsert',
    ])
    assert.deepEqual([upsert.summary.created, upsert.summary.updated], [1, 1])
    const skip = await desk.take('rates', deck('380,other,3,6,active', '45,DK,1,60,active'), [
      ...FLAGS,
      '--mode',
      'skip',
    ])
    assert.deepEqual([skip.summary.created, skip.summary.skipped], [1, 1])
    assert.deepEqual(await desk.query(RATES), [
      '380|UA|20000|6|active',
      '44|UK|10000|60|active',
      '45|DK|10000|60|active',
    ])
  })

  it('that are telephone numbers match however the number is written', async () => {
    const settings = { dialling: { country: 'UA', area_code: '44' } }
    await desk.create('tenants', { slug: 'kyiv', domain: 'kyiv.example.com', settings })
    await desk.create('dids', { tenant_id: 2, number: '+380441234567', provider: 'Old' })
    const dids = (...rows: string[]): string => ['number,provider,status', ...rows, ''].join('\n')
    const of = ['--tenant', 'kyiv']
    const change = dids('044 1234567,New,active', '00380 44 1234568,New,active')
    const { summary } = await desk.take('dids', change, [...of, '--mode', 'upsert'])
    assert.deepEqual([summary.errors, summary.created, summary.updated], [[], 1, 1])
    const numbers = 'SELECT number, provider FROM dids ORDER BY id'
    assert.deepEqual(await desk.query(numbers), ['+380441234567|New', '00380 44 1234568|New'])
    const again = await desk.take('dids', dids('+380 44 123-45-68,X,active'), [...of, '--mode', 'skip'])
    assert.deepEqual([again.summary.created, again.summary.skipped], [0, 1])
    const twice = await desk.take('dids', dids('0447654321,X,active', '+380447654321,Y,active'), [
      ...of,
      '--mode',
      'upsert',
    ])
    assert.deepEqual(
      twice.summary.errors.map(({ line, rule }) => [line, rule]),
      [[3, 'repeated']],
    )
    assert.equal((await desk.query(numbers)).length, 2)
  })

  it('leave an equal record alone in upsert mode, and count it separately', async () => {
    await desk.take('rates', deck(stored, '44,UK,1,60,active', '45,DK,1,60,active'), FLAGS)
    const before = await desk.query('SELECT updated_at FROM rates ORDER BY id')
    const changing = deck(stored, '44,UK,1.0000,60,active', '45,DK,1,60,inactive')
    for (const flags of [['--dry-run'], []]) {
      const { summary, stderr } = await desk.take('rates', changing, [...FLAGS, '--mode', 'upsert', ...flags])
      assert.deepEqual([summary.errors, summary.created, summary.updated, summary.unchanged], [[], 0, 1, 2])
      assert.match(stderr, /3 rows: 0 (would be )?created, 1 (would be )?updated, 2 unchanged, 0 rejected/)
    }
    const after = await desk.query('SELECT updated_at FROM rates ORDER BY id')
    assert.deepEqual(
      after.map((moment, n) => moment === before[n]),
      [true, true, false],
    )
    const { summary } = await desk.take('rates', deck(stored), [...FLAGS, '--mode', 'upsert'])
    assert.deepEqual([summary.updated, summary.unchanged], [0, 1])
    assert.deepEqual(await desk.query("SELECT count(*) FROM audit WHERE action = 'import'"), ['2'])
  })

  it('keep the fields that a JSON row does not name', async () => {
    const extension = { extension_number: '101', display_name: 'A', secret: 's', status: 'active' }
    const take = (members: object) =>
      desk.take('extensions', JSON.stringify([members]), [...FLAGS, '--mode', 'upsert'], 'in.json')
    await take({ ...extension, email: 'a@example.com', voicemail_enabled: true })
    const { summary: same } = await take(extension)
    assert.deepEqual([same.updated, same.unchanged], [0, 1])
    const { summary: other } = await take({ ...extension, email: null })
    assert.deepEqual([other.updated, other.unchanged], [1, 0])
    assert.deepEqual(await desk.query('SELECT email, voicemail_enabled FROM extensions'), ['|1'])
  })

  it('touch the rates of no other tenant', async () => {
    await desk.create('tenants', { slug: 'other' })
    await desk.take('rates', deck(stored), ['--tenant', 'other'])
    await desk.take('rates', deck('380,UA,2,6,active'), [...FLAGS, '--mode', 'upsert'])
    assert.deepEqual(await desk.query('SELECT tenant_id, destination FROM rates ORDER BY id'), ['2|Ukraine', '1|UA'])
  })

  it('that two stored records share make a row an error', async () => {
    for (const destination of ['a', 'b']) await desk.create('rates', { tenant_id: 1, prefix: '380', destination })
    assert.deepEqual(await errorsOf(desk, deck('380,x,1,60,active'), ['--mode', 'upsert']), [
      'deck.csv:2: prefix: Several Rates are stored with this prefix; which is meant is not clear.',
    ])
  })

  it('that come twice in a file are reported, sorted or not, and kept with --allow-duplicates', async () => {
    const text = deck('44,a,1,60,active', '380,b,1,60,active', '44,c,1,60,active')
    assert.deepEqual(await errorsOf(desk, text), ['deck.csv:4: prefix: The prefix is the same as in line 2.'])
    assert.deepEqual(await errorsOf(desk, deck('1,a,1,60,active', '1,b,1,60,active')), [
      'deck.csv:3: prefix: The prefix is the same as in line 2.',
    ])
    await desk.take('rates', text, [...FLAGS, '--allow-duplicates'])
    assert.equal((await desk.query(RATES)).length, 3)
  })

  it('and other unique fields hold between rows and against what is stored', async () => {
    const header = 'name,slug,domain,status,timezone,max_extensions\n'
    const tenants = (...rows: string[]) => `${header}${rows.map(row => `T,${row},active,UTC,1\n`).join('')}`
    await desk.take('tenants', tenants('one,one.example.com'))
    const { summary } = await desk.take(
      'tenants',
      tenants('two,one.example.com', 'three,3.example.com', 'four,3.example.com'),
    )
    assert.deepEqual(
      summary.errors.map(({ line, message }) => `${line}: ${message}`),
      ['2: The domain has already been taken.', '4: The domain is the same as in line 3.'],
    )
    const { summary: same } = await desk.take('tenants', tenants('one,one.example.com'), ['--mode', 'upsert'])
    assert.deepEqual([same.updated, same.unchanged], [0, 1])
  })
})

describe('references', () => {
  const header = 'tenant,extension_number,display_name,secret,status\n'
  const cdr = 'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'
  const call = '1,2,outbound,BUSY,0,0,0,2026-01-01 10:00:00'

  it('to tenants are slugs or ids', async () => {
    await desk.take('extensions', `${header}acme,101,A,s,active\n1,102,B,s,active\n`)
    await desk.take('extensions', `${header.replace('tenant', 'tenant_id')}acme,103,C,s,active\n`)
    assert.deepEqual(await desk.query('SELECT tenant_id, extension_number FROM extensions'), [
      '1|101',
      '1|102',
      '1|103',
    ])
  })

  it('to missing records are errors', async () => {
    const { summary } = await desk.take('extensions', `${header}nobody,101,A,s,active\n`)
    assert.deepEqual(summary.errors, [
      { line: 2, rule: 'reference', field: 'tenant', message: 'The selected tenant is invalid.' },
    ])
    const { summary: calls } = await desk.take('cdrs', `extension_id,${cdr}\n9,${call}\n,${call}\n`, FLAGS)
    assert.deepEqual(calls.errors, [
      { line: 2, rule: 'reference', field: 'extension_id', message: 'The selected extension id is invalid.' },
    ])
    assert.deepEqual(await desk.query('SELECT * FROM cdrs'), [])
  })

  it('to another tenant than --tenant says are errors', async () => {
    await desk.create('tenants', { slug: 'other' })
    const { summary } = await desk.take('extensions', `${header}other,101,A,s,active\n,102,B,s,active\n`, FLAGS)
    assert.deepEqual(summary.errors, [
      { line: 2, rule: 'constant', field: 'tenant', message: 'The tenant field must be acme, as --tenant says.' },
    ])
  })

  it('to extensions are numbers within the tenant, or another tenant’s in full', async () => {
    await desk.create('tenants', { slug: 'other' })
    await desk.take('extensions', `${header}acme,101,A,s,active\nother,101,A,s,active\n`)
    await desk.take(
      'cdrs',
      `tenant,extension,${cdr}\nacme,101,${call}\nother,101,${call}\nacme,other/101,${call}\nacme,,${call}\n`,
    )
    assert.deepEqual(await desk.query('SELECT tenant_id, extension_id FROM cdrs ORDER BY id'), [
      '1|1',
      '2|2',
      '1|2',
      '1|',
    ])
  })
})

describe('a tenant’s limit', () => {
  const header = 'extension_number,display_name,secret,status\n'
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `${from + i},A,s,active\n`).join('')

  it('holds within one import and counts what is stored', async () => {
    await desk.take('extensions', header + rows(101, 2), FLAGS)
    const { summary } = await desk.take('extensions', header + rows(103, 3), [...FLAGS, '--on-error', 'continue'])
    assert.deepEqual(
      summary.errors.map(({ line, message }) => `${line}: ${message}`),
      ['3: The tenant has reached its limit of 3 extensions.', '4: The tenant has reached its limit of 3 extensions.'],
    )
    assert.deepEqual(await desk.query('SELECT extension_number FROM extensions'), ['101', '102', '103'])
  })

  it('does not concern existing records', async () => {
    await desk.take('extensions', header + rows(101, 3), FLAGS)
    const { summary } = await desk.take('extensions', header + rows(101, 3), [...FLAGS, '--mode', 'upsert'])
    assert.deepEqual([summary.unchanged, summary.rejected], [3, 0])
  })
})
