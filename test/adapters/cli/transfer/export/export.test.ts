import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { exportRecords } from '../../../../../adapters/cli/transfer/export.ts'
import { resourceNamed } from '../../../../../core/resources/all.ts'
import { rates } from '../../../../../core/resources/rates.ts'
import { addRate, type Desk, listening, openDesk } from '../../../../support/cli/imports.ts'

const OPTIONS = { flags: {}, force: false, escapeFormulas: false, bom: false, showSecrets: false }

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

const rate = (prefix: string, members = {}) => addRate(desk, prefix, members)

const COLUMNS = ['tenant', ...Object.keys(rates.fields).slice(1)]

describe('an export', () => {
  it('names tenants by slug and has the columns that an import takes', async () => {
    await rate('380', { destination: 'Kyiv, "all"' })
    const [header, row] = (await desk.give('rates')).split('\n')
    assert.equal(header, COLUMNS.join())
    assert.match(row ?? '', /^acme,380,"Kyiv, ""all""",0\.0123,60,/)
  })

  it('is NDJSON or a JSON array on request, empty ones too', async () => {
    const empty = ['[]\n', '', `${COLUMNS.join()}\n`]
    for (const [i, format] of ['json', 'ndjson', 'csv'].entries())
      assert.equal(await desk.give('rates', ['--format', format]), empty[i])
    await rate('380')
    await rate('44')
    const rows = JSON.parse(await desk.give('rates', ['--format', 'json']))
    assert.deepEqual(Object.keys(rows[0]), COLUMNS)
    const { tenant, prefix, destination, cost_per_minute, billing_increment, status } = rows[0]
    assert.deepEqual([tenant, prefix, destination, status], ['acme', '380', 'to 380', 'active'])
    assert.deepEqual([cost_per_minute, billing_increment], ['0.0123', 60])
    const lines = (await desk.give('rates', ['--format', 'ndjson'])).trimEnd().split('\n')
    assert.deepEqual(
      lines.map(line => JSON.parse(line)),
      rows,
    )
  })

  it('holds only one tenant’s records on request', async () => {
    await desk.create('tenants', { slug: 'other' })
    await rate('1')
    await rate('2', { tenant_id: 2 })
    assert.match(await desk.give('rates', ['--tenant', 'other']), /\nother,2,[^\n]*\n$/)
  })

  it('escapes formulas only on request', async () => {
    await rate('380', { destination: '=1+1' })
    assert.match(await desk.give('rates'), /acme,380,=1\+1/)
    for (const destination of ['=1+1', '+1', '-1+1', '@SUM(A1)', '＝1+1']) {
      await rate(`1${destination.length}`, { destination })
      const escaped = await desk.give('rates', ['--escape-formulas'])
      assert.ok(escaped.includes(`,'${destination},`), escaped)
    }
  })

  it('keeps numbers that are dialled where formulas are escaped, and they are imported again', async () => {
    const numbers = ['+12125550101', '4420', '=HYPERLINK("http://a.example")', '@101', '="1"&cmd']
    for (const number of numbers) await desk.create('dids', { number, tenant_id: 1, status: 'active' })
    const csv = await desk.give('dids', ['--escape-formulas'])
    assert.match(csv, /,"=""\+12125550101""",/)
    assert.match(csv, /,4420,/)
    assert.equal(/,"?[+@-]/.test(csv), false)
    // Every formula is one text in quotes.
    for (const [, cell] of csv.matchAll(/,("?=.*?),pro-/g)) assert.match(cell ?? '', /^"=""(?:[^"]|"{4})*"""$/)
    const { summary } = await desk.take('dids', csv, ['--mode', 'upsert'])
    assert.deepEqual([summary.rejected, summary.unchanged], [0, numbers.length])
  })

  it('has a byte-order mark and another delimiter for spreadsheets on request, and is imported as it is', async () => {
    await rate('380', { destination: 'Kyiv; all, "new"' })
    const flags = ['--bom', '--delimiter', ';']
    const csv = await desk.give('rates', flags)
    const [header, row] = csv.split('\n')
    assert.equal(header, `\ufeff${COLUMNS.join(';')}`)
    assert.match(row ?? '', /^acme;380;"Kyiv; all, ""new""";0\.0123;60;/)
    const { summary } = await desk.take('rates', csv, ['--mode', 'upsert'])
    assert.deepEqual([summary.rejected, summary.unchanged], [0, 1])
    assert.match(await desk.give('rates', ['--delimiter', 'tab']), /^acme\t380\t"Kyiv; all/m)
    for (const flag of [['--bom'], ['--delimiter', ';'], ['--escape-formulas']])
      await assert.rejects(desk.give('rates', [...flag, '--format', 'json']), { exitCode: 64 })
    await assert.rejects(desk.give('rates', ['--delimiter', 'ab']), { exitCode: 64 })
  })

  it('on standard output goes by --output, unless --format says otherwise', async () => {
    const asJson = await openDesk({ output: 'json' })
    assert.equal(await asJson.give('rates'), '[]\n')
    assert.match(await asJson.give('rates', ['--format', 'csv']), /^tenant,prefix/)
    const out = join(desk.folder, 'rates.csv')
    await asJson.give('rates', ['--out', out])
    assert.match(readFileSync(out, 'utf8'), /^tenant,prefix/)
    await asJson.close()
  })

  it('goes to a file that its owner alone can read, whole or not at all', async () => {
    await desk.create('sms_gateways', { name: 'g', password: 's3cret' })
    const out = join(desk.folder, 'g.json')
    await desk.give('sms_gateways', ['--out', out])
    assert.equal(statSync(out).mode & 0o777, 0o600)
    assert.equal(JSON.parse(readFileSync(out, 'utf8'))[0].password, 's3cret')
    const failing = {
      ...desk.services.bulk,
      dump: () => {
        throw new Error('no')
      },
    }
    const { context } = listening(desk.services)
    const open = async () => ({ ...desk.services, bulk: failing })
    const missing = join(desk.folder, 'none.csv')
    await assert.rejects(
      exportRecords(resourceNamed('rates'), { ...OPTIONS, out: missing }, { ...context, open }),
      /no/,
    )
    assert.deepEqual(readdirSync(desk.folder), ['g.json'])
    assert.equal(existsSync(missing), false)
  })

  it('names the file that it cannot make, and takes - for standard output', async () => {
    const out = join(desk.folder, 'no/rates.csv')
    await assert.rejects(desk.give('rates', ['--out', out]), {
      exitCode: 73,
      message: `cannot write ${out}: there is no folder ${desk.folder}/no (ENOENT)`,
    })
    assert.match(await desk.give('rates', ['--out', '-']), /^tenant,prefix,/)
  })

  it('hides secrets at a terminal unless asked not to, and says so', async () => {
    await desk.create('sms_gateways', { name: 'g', password: 's3cret', callback_token: 't0ken' })
    const { context, heard } = listening(desk.services)
    Object.assign(context.io.stdout, { isTTY: true })
    await exportRecords(resourceNamed('sms_gateways'), OPTIONS, context)
    assert.doesNotMatch(heard.stdout, /s3cret|t0ken|password/)
    assert.match(heard.stderr, /not shown in a terminal: password, callback_token/)
    await exportRecords(resourceNamed('sms_gateways'), { ...OPTIONS, showSecrets: true }, context)
    assert.match(heard.stdout, /s3cret/)
  })

  it('writes a prefix that would be read as several, or as a number, as a spreadsheet writes text', async () => {
    const prefixes = ['61 38,39', '4.47E+11', '="1"', '=""', '33-35', 'a,"b"']
    for (const prefix of prefixes) await rate(prefix, { destination: 'x' })
    const text = await desk.give('rates')
    assert.match(text, /^acme,"=""61 38,39""",x,/m)
    assert.match(text, /^acme,"=""4\.47E\+11""",x,/m)
    assert.match(text, /^acme,33-35,x,/m)
    for (const format of ['csv', 'ndjson', 'json']) {
      const to = await openDesk()
      await to.create('tenants', { slug: 'acme' })
      const exported = await desk.give('rates', ['--format', format])
      assert.deepEqual((await to.take('rates', exported, ['--format', format])).summary.errors, [])
      assert.deepEqual(await to.query('SELECT prefix FROM rates ORDER BY id'), prefixes)
      await to.close()
    }
  })

  it('ends quietly when its reader goes away', async () => {
    for (let i = 0; i < 600; i++) await rate(String(i))
    let writes = 0
    const stdout = new Writable({
      highWaterMark: 10,
      write: (_chunk, _encoding, done) => {
        writes++
        done(writes > 1 ? Object.assign(new Error('gone'), { code: 'EPIPE' }) : null)
      },
    })
    const { context } = listening(desk.services)
    await exportRecords(resourceNamed('rates'), OPTIONS, { ...context, io: { ...context.io, stdout } })
    assert.equal(writes, 2)
  })

  it('waits for its reader', async () => {
    for (let i = 0; i < 1200; i++) await rate(String(i))
    const stdout = new PassThrough({ highWaterMark: 10 })
    const { context } = listening(desk.services)
    const exporting = exportRecords(resourceNamed('rates'), OPTIONS, { ...context, io: { ...context.io, stdout } })
    let size = 0
    let most = 0
    for await (const chunk of stdout) {
      most = Math.max(most, stdout.readableLength + stdout.writableLength)
      size += String(chunk).split('\n').length - 1
      if (size >= 1201) break
    }
    assert.equal(await exporting, 1200)
    assert.ok(most < 100_000, String(most))
  })
})
