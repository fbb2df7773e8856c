import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { DECK_HEADER, type Desk, deck, errorsOf, openDesk, RATES } from '../../../support/cli/imports.ts'

const FLAGS = ['--tenant', 'acme']

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme', max_extensions: 3 })
})
afterEach(() => desk.close())

describe('an import of a table', () => {
  it('stores the rows of a plain file', async () => {
    const { summary, stderr } = await desk.take('rates', deck('380,Ukraine,0.0123,60,active'), FLAGS)
    assert.deepEqual(await desk.query(RATES), ['380|Ukraine|123|60|active'])
    assert.equal(summary.created, 1)
    assert.match(stderr, /^in\.csv: 1 row: 1 created, 0 rejected; [\d.]+ s\n$/)
  })

  it('takes a byte-order mark, CRLF, semicolons and quoted newlines', async () => {
    const text = `\uFEFF${DECK_HEADER.replaceAll(',', ';')}\r\n380;"Ukraine; ""all""\r\nof it";0.0123;60;active\r\n44;UK;1;1;active`
    await desk.take('rates', text, FLAGS)
    assert.deepEqual(await desk.query(RATES), ['380|Ukraine; "all"\r\nof it|123|60|active', '44|UK|10000|1|active'])
  })

  it('takes a file whose lines end in a carriage return', async () => {
    await desk.take('rates', deck('380,Ukraine,0.0123,60,active').replaceAll('\n', '\r'), FLAGS)
    assert.deepEqual(await desk.query(RATES), ['380|Ukraine|123|60|active'])
  })

  it('counts the physical line where a record starts', async () => {
    const text = deck('380,"two\nlines",1,60,active', '381,"a\nb\nc",1,0,active', '382,x,1,0,active')
    assert.deepEqual(await errorsOf(desk, text), [
      'deck.csv:4: billing_increment: The billing increment field must be at least 1.',
      'deck.csv:7: billing_increment: The billing increment field must be at least 1.',
    ])
  })

  it('reports every error of every row in the words of the API', async () => {
    assert.deepEqual(await errorsOf(desk, deck(',x,-1,60,active', '1,,free,1.5,')), [
      'deck.csv:2: prefix: The prefix field is required.',
      'deck.csv:2: cost_per_minute: The cost per minute field must be at least 0.',
      'deck.csv:3: destination: The destination field is required.',
      'deck.csv:3: cost_per_minute: The cost per minute field must be a number.',
      'deck.csv:3: billing_increment: The billing increment field must be an integer.',
      'deck.csv:3: status: The status field is required.',
    ])
    assert.deepEqual(await desk.query(RATES), [])
  })

  it('shows no more errors than requested, and says how many more there are', async () => {
    const rows = Array.from({ length: 5 }, (_, i) => `${i},x,1,0,active`)
    const { stderr, summary } = await desk.take('rates', deck(...rows), [...FLAGS, '--max-errors', '2'], 'deck.csv')
    assert.equal(stderr.match(/must be at least 1/g)?.length, 2)
    assert.match(stderr, /^… and 3 more$/m)
    assert.deepEqual([summary.errors.length, summary.more_errors, summary.rejected], [2, 3, 5])
  })

  it('names the field that an unknown header may mean', async () => {
    const text = deck().replace('prefix', 'prefx')
    assert.deepEqual(
      (await errorsOf(desk, text))[0],
      'deck.csv:1: prefx: Rates have no field "prefx"; did you mean prefix?',
    )
  })

  it('reads a column by the name that --map gives it, and ignores one that is mapped to nothing', async () => {
    const text = 'Code;Note;Cost / Min\n380;old;0.5\n'
    const flags = ['--map', 'Code=prefix', '--map', 'Cost / Min=cost_per_minute', '--map', 'Note=']
    const sets = ['--set', 'destination=All', '--set', 'billing_increment=6', '--set', 'status=active']
    await desk.take('rates', text, [...FLAGS, ...flags, ...sets])
    assert.deepEqual(await desk.query(RATES), ['380|All|5000|6|active'])
  })

  it('refuses a mapping of a missing column', async () => {
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
    assert.deepEqual(await errorsOf(desk, deck('380,x,1,60', '381,"x"y,1,60,active', '382,5" pipe,1,60,active')), [
      'deck.csv:2: row: The row has 4 cells where the header has 5.',
      'deck.csv:3: row: The row has text after a closing quote; a quote within quotes is written twice.',
    ])
  })

  it('reports a quote that is never closed where it opens', async () => {
    const errors = await errorsOf(desk, deck('380,x,1,60,active', '381,"x,1,60,active', '382,y,1,60,active'))
    assert.deepEqual(errors, ['deck.csv:3: row: A quote that opens in this row is never closed.'])
  })

  it('never stores the mask that a list shows in place of a secret', async () => {
    await desk.create('extensions', { tenant_id: 1, extension_number: '101', secret: 'kW3-9fQm-Zt81' })
    const list = 'tenant,extension_number,display_name,secret,status\nacme,101,Front desk,••••••,active\n'
    for (const [text, flags] of [
      [list, []],
      [list.replace('secret', 'password'), ['--map', 'password=secret']],
    ] as const) {
      const { stderr } = await desk.take('extensions', text, [...flags, '--mode', 'upsert'])
      assert.match(
        stderr,
        /^in\.csv:2: (secret|password): The secret field is ••••••, which a list shows in its place/m,
      )
    }
    const set = desk.take('extensions', list, ['--set', 'secret=••••••'])
    await assert.rejects(set, /--set secret: The secret field is ••••••/)
    assert.deepEqual(await desk.query('SELECT secret FROM extensions'), ['kW3-9fQm-Zt81'])
  })

  it('refuses text that is not UTF-8, and says on which line', async () => {
    const text = Buffer.concat([Buffer.from(deck('380,x,1,60,active')), Buffer.from([0xe9, 0x0a])])
    await assert.rejects(desk.take('rates', text, FLAGS), {
      message: "in.csv:3: the text is not UTF-8; a spreadsheet's may be WINDOWS-1252",
    })
    const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
    for (const [given, form] of [
      [wide('\uFEFFprefix\n'), 'UTF-16'],
      [wide('prefix\n'), 'UTF-16LE'],
      [wide('prefix\n').swap16(), 'UTF-16BE'],
    ] as const)
      await assert.rejects(desk.take('rates', given, FLAGS), {
        message: 'in.csv is UTF-16, not UTF-8',
        hint: `iconv -f ${form} -t UTF-8 in.csv > utf-8-in.csv`,
      })
  })
})

it('no price with an exponent is taken, however it is written', async () => {
  for (const price of ['.5e-4', '5.e-5', '1.e1', '1,5E2']) {
    const { summary } = await desk.take('rates', deck(`1,A,"${price}",60,active`), FLAGS)
    assert.match(summary.errors[0]?.message ?? '', /must be written without an exponent|holds/, price)
  }
})

it('a row of only separators is blank, whichever they are', async () => {
  for (const separator of [',', ';', '|', '\t']) {
    const text = deck(`${separator.charCodeAt(0)},A,1,60,active`, ',,,,').replaceAll(',', separator)
    const { summary } = await desk.take('rates', text, FLAGS)
    assert.deepEqual([summary.created, summary.blank, summary.rejected], [1, 1, 0], separator)
  }
})

describe('rates', () => {
  it('of several codes in one cell are separate rates', async () => {
    await desk.take(
      'rates',
      deck('"61 38,39",Melbourne,1,60,active', '"44 20; 33",x,1,60,active', '"7,8",y,1,60,active'),
      FLAGS,
    )
    assert.deepEqual(await desk.query('SELECT prefix FROM rates ORDER BY id'), [
      '6138',
      '6139',
      '4420',
      '4433',
      '7',
      '8',
    ])
  })

  it('of one cell are all rejected if one of its codes is a duplicate', async () => {
    const text = deck('6138,a,1,60,active', '"61 37,38",b,1,60,active')
    const { summary } = await desk.take('rates', text, [...FLAGS, '--on-error', 'continue'])
    assert.deepEqual([summary.created, summary.rejected], [1, 1])
    assert.deepEqual(await desk.query('SELECT prefix FROM rates'), ['6138'])
  })

  it('that a spreadsheet has damaged are refused with the cause', async () => {
    assert.deepEqual(
      await errorsOf(
        desk,
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

  it('take a decimal comma with --decimal-comma, and then no point', async () => {
    await desk.take('rates', deck('1,x,"0,0123",60/60,active'), [...FLAGS, '--decimal-comma'])
    assert.deepEqual(await desk.query(RATES), ['1|x|123|60|active'])
    const [error] = await errorsOf(desk, deck('2,x,0.5,60,active'), ['--decimal-comma'])
    assert.match(error ?? '', /0\.5 has a point, where --decimal-comma wants a comma/)
  })

  it('after a blank row are stored, and the blank row is reported', async () => {
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
    [['--set', 'prefix=4.47E+11'], /a spreadsheet made of a long number/],
    [['--map', 'a=prefx'], /did you mean prefix\?/],
    [['--tenant', 'nobody'], /there is no tenant/],
    [['--delimiter', 'ab'], /must be one character/],
  ] as const)
    it(`are refused: ${flags.join(' ')}`, () => assert.rejects(desk.take('rates', deck(), flags), message))
})
