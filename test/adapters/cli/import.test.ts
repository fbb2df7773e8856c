import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Desk, openDesk } from '../../support/imports.ts'

const HEADER = 'prefix,destination,cost_per_minute,billing_increment,status'
const FLAGS = ['--tenant', 'acme']
const RATES = 'SELECT prefix, destination, cost_per_minute, billing_increment, status FROM rates ORDER BY id'

let desk: Desk

beforeEach(async () => {
  desk = openDesk()
  await desk.create('tenants', { slug: 'acme', max_extensions: 3 })
})
afterEach(() => desk.close())

const deck = (...rows: string[]): string => `${[HEADER, ...rows].join('\n')}\n`

/** The errors of an import of rates, as they are shown. */
async function errorsOf(text: string, flags: readonly string[] = []): Promise<string[]> {
  const { stderr } = await desk.take('rates', text, [...FLAGS, ...flags], 'deck.csv')
  return stderr.split('\n').filter(line => line.startsWith('deck.csv:') && !line.includes(' rows: '))
}

describe('an import of a table', () => {
  it('stores the rows of a plain file', async () => {
    const { summary, stderr } = await desk.take('rates', deck('380,Ukraine,0.0123,60,active'), FLAGS)
    assert.deepEqual(desk.query(RATES), ['380|Ukraine|123|60|active'])
    assert.equal(summary.created, 1)
    assert.match(stderr, /^in\.csv: 1 rows: 1 created, 0 rejected; [\d.]+ s\n$/)
  })

  it('takes a byte-order mark, CRLF, semicolons and quoted newlines', async () => {
    const text = `\uFEFF${HEADER.replaceAll(',', ';')}\r\n380;"Ukraine; ""all""\r\nof it";0.0123;60;active\r\n44;UK;1;1;active`
    await desk.take('rates', text, FLAGS)
    assert.deepEqual(desk.query(RATES), ['380|Ukraine; "all"\r\nof it|123|60|active', '44|UK|10000|1|active'])
  })

  it('takes a file whose lines end in a carriage return', async () => {
    await desk.take('rates', deck('380,Ukraine,0.0123,60,active').replaceAll('\n', '\r'), FLAGS)
    assert.deepEqual(desk.query(RATES), ['380|Ukraine|123|60|active'])
  })

  it('counts the physical line where a record starts', async () => {
    const text = deck('380,"two\nlines",1,60,active', '381,"a\nb\nc",1,0,active', '382,x,1,0,active')
    assert.deepEqual(await errorsOf(text), [
      'deck.csv:4: billing_increment: The billing increment field must be at least 1.',
      'deck.csv:7: billing_increment: The billing increment field must be at least 1.',
    ])
  })

  it('reports every error of every row in the words of the API', async () => {
    assert.deepEqual(await errorsOf(deck(',x,-1,60,active', '1,,free,1.5,')), [
      'deck.csv:2: prefix: The prefix field is required.',
      'deck.csv:2: cost_per_minute: The cost per minute field must be at least 0.',
      'deck.csv:3: destination: The destination field is required.',
      'deck.csv:3: cost_per_minute: The cost per minute field must be a number.',
      'deck.csv:3: billing_increment: The billing increment field must be an integer.',
      'deck.csv:3: status: The status field is required.',
    ])
    assert.deepEqual(desk.query(RATES), [])
  })

  it('shows no more errors than wanted, and says how many more there are', async () => {
    const rows = Array.from({ length: 5 }, (_, i) => `${i},x,1,0,active`)
    const { stderr, summary } = await desk.take('rates', deck(...rows), [...FLAGS, '--max-errors', '2'], 'deck.csv')
    assert.equal(stderr.match(/must be at least 1/g)?.length, 2)
    assert.match(stderr, /^… and 3 more$/m)
    assert.deepEqual([summary.errors.length, summary.more_errors, summary.rejected], [2, 3, 5])
  })

  it('names the field that an unknown header may mean', async () => {
    const text = deck().replace('prefix', 'prefx')
    assert.deepEqual((await errorsOf(text))[0], 'deck.csv:1: prefx: Rates have no field "prefx"; did you mean prefix?')
  })

  it('reads a column by the name that --map gives it, and passes over one that is mapped to nothing', async () => {
    const text = 'Code;Note;Cost / Min\n380;old;0.5\n'
    const flags = ['--map', 'Code=prefix', '--map', 'Cost / Min=cost_per_minute', '--map', 'Note=']
    const sets = ['--set', 'destination=All', '--set', 'billing_increment=6', '--set', 'status=active']
    await desk.take('rates', text, [...FLAGS, ...flags, ...sets])
    assert.deepEqual(desk.query(RATES), ['380|All|5000|6|active'])
  })

  it('refuses a mapping of a column that is not there', async () => {
    const flags = [...FLAGS, '--map', 'Cod=prefix']
    await assert.rejects(desk.take('rates', 'Code,x\n', flags), {
      message: '--map: there is no column "Cod"; did you mean "Code"?',
    })
  })

  it('says which columns are missing and how to give them', async () => {
    const { stderr } = await desk.take(
      'rates',
      'prefix,destination,cost_per_minute,status\n1,x,1,active\n',
      [],
      'deck.csv',
    )
    assert.match(
      stderr,
      /^deck\.csv:1: tenant_id: The tenant id field is required\. There is no such column: give --tenant\.$/m,
    )
    assert.match(stderr, /^deck\.csv:1: billing_increment: .*name it with --map, or give --set billing_increment=…\.$/m)
  })

  it('reports a row with another number of cells than the header, and one with a misplaced quote', async () => {
    assert.deepEqual(await errorsOf(deck('380,x,1,60', '381,"x"y,1,60,active', '382,5" pipe,1,60,active')), [
      'deck.csv:2: row: The row has 4 cells where the header has 5.',
      'deck.csv:3: row: The row has text after a closing quote; a quote within quotes is written twice.',
    ])
  })

  it('reports a quote that is never closed where it opens', async () => {
    const errors = await errorsOf(deck('380,x,1,60,active', '381,"x,1,60,active', '382,y,1,60,active'))
    assert.deepEqual(errors, ['deck.csv:3: row: A quote that opens in this row is never closed.'])
  })

  it('refuses text that is not UTF-8, and says on which line', async () => {
    const text = Buffer.concat([Buffer.from(deck('380,x,1,60,active')), Buffer.from([0xe9, 0x0a])])
    await assert.rejects(desk.take('rates', text, FLAGS), {
      message: "in.csv:3: the text is not UTF-8; a spreadsheet's may be WINDOWS-1252",
    })
    await assert.rejects(desk.take('rates', Buffer.from('\uFEFFprefix\n', 'utf16le'), FLAGS), /UTF-16/)
  })
})

describe('an import of JSON', () => {
  const row = {
    prefix: '380',
    destination: 'Ukraine',
    cost_per_minute: 0.0123,
    billing_increment: 60,
    status: 'active',
  }

  it('takes one object a line', async () => {
    const text = `${JSON.stringify(row)}\n\n${JSON.stringify({ ...row, prefix: '44', tenant: 'acme' })}\n`
    const { summary } = await desk.take('rates', text, FLAGS, 'deck.ndjson')
    assert.deepEqual(desk.query('SELECT prefix FROM rates ORDER BY id'), ['380', '44'])
    assert.deepEqual([summary.rows, summary.blank_lines], [2, [2]])
  })

  it('takes an array', async () => {
    await desk.take('rates', JSON.stringify([row, { ...row, prefix: '44 }],[' }], null, 2), FLAGS, 'deck.json')
    assert.deepEqual(desk.query('SELECT prefix FROM rates ORDER BY id'), ['380', '44 }],['])
  })

  it('stores nothing of an array that is cut off', async () => {
    const text = JSON.stringify([row, row]).slice(0, -20)
    const { stderr } = await desk.take('rates', text, FLAGS, 'deck.json')
    assert.match(stderr, /deck\.json:1: row: The array has no end: the file is cut off\./)
    assert.deepEqual(desk.query(RATES), [])
  })

  it('reports what is no JSON, no object, and no field', async () => {
    const { summary } = await desk.take(
      'rates',
      `{"prefix"\n[1]\n${JSON.stringify({ ...row, statsu: 'x' })}\n`,
      FLAGS,
      'deck.ndjson',
    )
    assert.deepEqual(summary.errors, [
      { line: 1, field: 'row', message: 'The row is not valid JSON.' },
      { line: 2, field: 'row', message: 'The row is not a JSON object.' },
      { line: 3, field: 'statsu', message: 'Rates have no field "statsu"; did you mean status?' },
    ])
  })

  it('leaves members that are not named as they are stored, and gives new records the defaults', async () => {
    const gateway = {
      name: 'g',
      provider_type: 'p',
      server_host: 'h.example.com',
      server_port: 1,
      username: 'u',
      password: 'p',
    }
    await desk.take(
      'sms_gateways',
      JSON.stringify([
        { ...gateway, notes: 'kept' },
        { ...gateway, name: 'h', api_path: null },
      ]),
      [],
      'g.json',
    )
    await desk.take('sms_gateways', JSON.stringify([{ ...gateway, server_port: 2 }]), ['--mode', 'upsert'], 'g.json')
    assert.deepEqual(desk.query('SELECT name, server_port, api_path, notes, is_active FROM sms_gateways ORDER BY id'), [
      'g|2|send|kept|0',
      'h|1|||0',
    ])
  })
})

describe('natural keys', () => {
  const stored = '380,Ukraine,0.01,60,active'

  it('are refused in insert mode when a record has them', async () => {
    await desk.take('rates', deck(stored), FLAGS)
    assert.deepEqual(await errorsOf(deck('44,UK,1,60,active', '380,x,1,60,active')), [
      'deck.csv:3: prefix: The prefix has already been taken.',
    ])
    assert.deepEqual(desk.query(RATES), ['380|Ukraine|100|60|active'])
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
    assert.deepEqual(desk.query(RATES), ['380|UA|20000|6|active', '44|UK|10000|60|active', '45|DK|10000|60|active'])
  })

  it('touch the rates of no other tenant', async () => {
    await desk.create('tenants', { slug: 'other' })
    await desk.take('rates', deck(stored), ['--tenant', 'other'])
    await desk.take('rates', deck('380,UA,2,6,active'), [...FLAGS, '--mode', 'upsert'])
    assert.deepEqual(desk.query('SELECT tenant_id, destination FROM rates ORDER BY id'), ['2|Ukraine', '1|UA'])
  })

  it('that two stored records share make a row an error', async () => {
    for (const destination of ['a', 'b']) await desk.create('rates', { tenant_id: 1, prefix: '380', destination })
    assert.deepEqual(await errorsOf(deck('380,x,1,60,active'), ['--mode', 'upsert']), [
      'deck.csv:2: prefix: Several Rates are stored with this prefix; which is meant is not clear.',
    ])
  })

  it('that come twice in a file are reported, sorted or not, and kept with --allow-duplicates', async () => {
    const text = deck('44,a,1,60,active', '380,b,1,60,active', '44,c,1,60,active')
    assert.deepEqual(await errorsOf(text), ['deck.csv:4: prefix: The prefix is the same as in line 2.'])
    assert.deepEqual(await errorsOf(deck('1,a,1,60,active', '1,b,1,60,active')), [
      'deck.csv:3: prefix: The prefix is the same as in line 2.',
    ])
    await desk.take('rates', text, [...FLAGS, '--allow-duplicates'])
    assert.equal(desk.query(RATES).length, 3)
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
    assert.equal(same.updated, 1)
  })
})

describe('references', () => {
  const header = 'tenant,extension_number,display_name,secret,status\n'
  const cdr = 'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'
  const call = '1,2,outbound,BUSY,0,0,0,2026-01-01 10:00:00'

  it('to tenants are slugs or ids', async () => {
    await desk.take('extensions', `${header}acme,101,A,s,active\n1,102,B,s,active\n`)
    await desk.take('extensions', `${header.replace('tenant', 'tenant_id')}acme,103,C,s,active\n`)
    assert.deepEqual(desk.query('SELECT tenant_id, extension_number FROM extensions'), ['1|101', '1|102', '1|103'])
  })

  it('to what is not there are errors', async () => {
    const { summary } = await desk.take('extensions', `${header}nobody,101,A,s,active\n`)
    assert.deepEqual(summary.errors, [{ line: 2, field: 'tenant', message: 'The selected tenant is invalid.' }])
    const { summary: calls } = await desk.take('cdrs', `extension_id,${cdr}\n9,${call}\n,${call}\n`, FLAGS)
    assert.deepEqual(calls.errors, [
      { line: 2, field: 'extension_id', message: 'The selected extension id is invalid.' },
    ])
    assert.deepEqual(desk.query('SELECT * FROM cdrs'), [])
  })

  it('to another tenant than --tenant says are errors', async () => {
    await desk.create('tenants', { slug: 'other' })
    const { summary } = await desk.take('extensions', `${header}other,101,A,s,active\n,102,B,s,active\n`, FLAGS)
    assert.deepEqual(summary.errors, [
      { line: 2, field: 'tenant', message: 'The tenant field must be acme, as --tenant says.' },
    ])
  })

  it('to extensions are numbers within the tenant, or another tenant’s in full', async () => {
    await desk.create('tenants', { slug: 'other' })
    await desk.take('extensions', `${header}acme,101,A,s,active\nother,101,A,s,active\n`)
    await desk.take(
      'cdrs',
      `tenant,extension,${cdr}\nacme,101,${call}\nother,101,${call}\nacme,other/101,${call}\nacme,,${call}\n`,
    )
    assert.deepEqual(desk.query('SELECT tenant_id, extension_id FROM cdrs ORDER BY id'), ['1|1', '2|2', '1|2', '1|'])
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
    assert.deepEqual(desk.query('SELECT extension_number FROM extensions'), ['101', '102', '103'])
  })

  it('is no matter for records that exist', async () => {
    await desk.take('extensions', header + rows(101, 3), FLAGS)
    const { summary } = await desk.take('extensions', header + rows(101, 3), [...FLAGS, '--mode', 'upsert'])
    assert.deepEqual([summary.updated, summary.rejected], [3, 0])
  })
})

describe('rates', () => {
  it('of several codes in one cell are as many', async () => {
    await desk.take(
      'rates',
      deck('"61 38,39",Melbourne,1,60,active', '"44 20; 33",x,1,60,active', '"7,8",y,1,60,active'),
      FLAGS,
    )
    assert.deepEqual(desk.query('SELECT prefix FROM rates ORDER BY id'), ['6138', '6139', '4420', '4433', '7', '8'])
  })

  it('whose cell repeats a code stand or fall together', async () => {
    const text = deck('6138,a,1,60,active', '"61 37,38",b,1,60,active')
    const { summary } = await desk.take('rates', text, [...FLAGS, '--on-error', 'continue'])
    assert.deepEqual([summary.created, summary.rejected], [1, 1])
    assert.deepEqual(desk.query('SELECT prefix FROM rates'), ['6138'])
  })

  it('say why a sheet’s damage is no value', async () => {
    assert.deepEqual(
      await errorsOf(
        deck('4.47E+11,x,1,60,active', '1,x,"0,0123",60,active', '2,x,0.01234,60,active', '3,x,1E-3,30/6,active'),
      ),
      [
        'deck.csv:2: prefix: The prefix field holds 4.47E+11, which a spreadsheet made of a long number: make its column text and export it again.',
        'deck.csv:3: cost_per_minute: The cost per minute field must be a number: 0,0123 has a decimal comma, which --decimal-comma takes.',
        'deck.csv:4: cost_per_minute: The cost per minute field must not have more than four decimals: 0.01234 would be rounded.',
        'deck.csv:5: cost_per_minute: The cost per minute field must be written without an exponent, not 1E-3.',
        'deck.csv:5: billing_increment: The billing increment field must be one interval: 30/6 has a first and a next one that differ.',
      ],
    )
  })

  it('take a decimal comma when told to, and then no point', async () => {
    await desk.take('rates', deck('1,x,"0,0123",60/60,active'), [...FLAGS, '--decimal-comma'])
    assert.deepEqual(desk.query(RATES), ['1|x|123|60|active'])
    const [error] = await errorsOf(deck('2,x,0.5,60,active'), ['--decimal-comma'])
    assert.match(error ?? '', /0\.5 has a point, where --decimal-comma wants a comma/)
  })

  it('after a blank row are not lost, and the blank row is told', async () => {
    const { summary, stderr } = await desk.take('rates', deck('1,x,1,60,active', ',,,,', '', '2,x,1,60,active'), FLAGS)
    assert.deepEqual([summary.created, summary.blank, summary.blank_lines], [2, 2, [3, 4]])
    assert.match(stderr, /2 blank \(line 3, 4\)/)
  })
})

describe('options that make no sense', () => {
  for (const [flags, message] of [
    [['--resume'], /nothing to resume/],
    [['--set', 'statsu=x'], /did you mean status\?/],
    [['--set', 'billing_increment=0'], /must be at least 1/],
    [['--map', 'a=prefx'], /did you mean prefix\?/],
    [['--tenant', 'nobody'], /there is no tenant/],
    [['--delimiter', 'ab'], /must be one character/],
  ] as const)
    it(`are refused: ${flags.join(' ')}`, () => assert.rejects(desk.take('rates', deck(), flags), message))
})
