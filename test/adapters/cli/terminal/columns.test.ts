import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { changed } from '../../../support/data/reader.ts'
import { onCitus, onPostgres } from '../../../support/storages.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

/** The column headings of a table; joins those broken over two lines. */
function headings(table: string): string[] {
  const [, ...lines] = table.split('\n')
  const rows = lines.slice(
    0,
    lines.findIndex(line => line.startsWith('├')),
  )
  const parts = rows.map(row => row.split('│').slice(1, -1))
  return (parts[0] ?? []).map((_, i) => parts.map(row => row[i]?.trim() ?? '').join(''))
}

describe('a list at a terminal of 80 columns', () => {
  it('of calls has who called whom, how it went, what it costs and when it was', async () => {
    const sequence = {
      sqlite: `UPDATE sqlite_sequence SET seq = 1234566 WHERE name = 'cdrs'`,
      postgres: `ALTER SEQUENCE cdrs_id_seq RESTART ${onCitus ? 301 : 1234567}`,
    }
    await changed(place.db, onPostgres ? sequence.postgres : sequence.sqlite)
    await place.done(
      'trunkline tenant create --name Long --slug telecommunications --domain long.example.com --status active --timezone UTC --max-extensions 1',
    )
    await place.done(
      "trunkline cdr create --tenant telecommunications --caller-number +380441112233 --destination-number +4930123456789 --direction inbound --disposition 'NO ANSWER' --duration-seconds 36000 --bill-seconds 36000 --cost 123.4567 --started-at '2026-10-02 12:34:56' --ended-at '2026-10-02 22:34:56'",
    )
    const { stdout: table, stderr } = await place.run('trunkline cdr list --no-color', { columns: 80 })
    const left = 'extension, direction, duration_seconds, ended_at'
    assert.equal(stderr, `no room for: ${left}; choose columns with --fields\n`)
    assert.match(table, /│1\d{6}│telec\w*…│\+3804\d*…│\+4930\d*…│NO ANSW.*│ *36000│123\.4567│2026-10-02 12:34Z│/)
    for (const line of table.split('\n')) assert.ok(line.length <= 80, line)
  })

  it('of messages has their state, their error and their time', async () => {
    await place.run(
      "trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message 'Your table is booked for 19:30.'",
    )
    const [late] = ['outcome unknown: The gateway did not answer within 15 s.']
    const at = '2026-10-02T12:34:56.000000Z'
    await changed(
      place.db,
      `INSERT INTO sms_messages (sms_gateway_id, to_number, from_sender, message, external_message_id, delivery_status,
       direction, callback_url, error_message, requested_at, created_at, updated_at)
       VALUES (1, '+380501234568', 'ACME Support', 'Your table is booked for 19:30.', 'x', 'failed', 'outbound', 'http://x', '${late}', '${at}', '${at}', '${at}')`,
    )
    const table = await place.done('trunkline sms list --no-color', { columns: 80 })
    assert.deepEqual(headings(table), [
      'id',
      'to_number',
      'delivery_status',
      'error_message',
      'requested_at',
      'status_class',
    ])
    assert.match(table, /│outcome unknown: The ga…│/)
  })

  it('of tenants leaves out their settings before anything else, then what they have, and no part of their slugs', async () => {
    await place.done(`trunkline tenant update acme --settings '{"international_prefix":"00"}'`)
    const wide = await place.run('trunkline tenant list', { columns: 110 })
    assert.equal(wide.stderr, 'no room for: settings; choose columns with --fields\n')
    const { stdout, stderr } = await place.run('trunkline tenant list', { columns: 80 })
    const left = 'settings, extensions_count, dids_count, queues_count'
    assert.equal(stderr, `no room for: ${left}; choose columns with --fields\n`)
    assert.match(stdout, /telecommunications/)
  })

  it('has what --fields names in its order, whatever matters less', async () => {
    const shown = headings(
      await place.done('trunkline cdr list --fields ended_at,extension,cost --no-color', { columns: 80 }),
    )
    assert.deepEqual(shown, ['ended_at', 'extension', 'cost'])
  })
})

describe('what a record points to', () => {
  const other = [
    'trunkline tenant create --name Other --slug other --domain other.example.com --status active --timezone UTC --max-extensions 5',
    'trunkline extension create --tenant other --extension-number 101 --display-name Desk --generate-secret --status active',
    'trunkline device add --extension other/101 --mac 00:15:65:a1:b2:c4 --model X',
    'trunkline route add --did +380441234567 --target-type queue --target acme/800',
  ]
  before(async () => {
    for (const line of other) await place.done(line)
  })

  it('is named as commands take it, with its tenant where the record has none', async () => {
    const fields = { device: 'extension', agent: 'queue,extension', route: 'did,target' }
    const shown = await Promise.all(
      Object.entries(fields).map(([name, given]) => place.done(`trunkline ${name} list --fields ${given}`)),
    )
    assert.deepEqual(shown, [
      'other/101\nacme/101\n',
      'acme/800\tacme/101\n',
      '+380441234567\tacme/800\n+380441234567\tacme/101\n',
    ])
    assert.equal((await place.json('trunkline extension show other/101')).tenant.slug, 'other')
  })

  it('is named so where a record shows what joins it with others', async () => {
    assert.match(await place.done('trunkline queue show acme/800'), /^agents +1: acme\/101$/m)
    assert.match(await place.done('trunkline extension show acme/101'), /^queueAgents +1: acme\/800$/m)
    assert.match(
      await place.done('trunkline did show +380441234567'),
      /^routes +2: (extension acme\/101|queue acme\/800), /m,
    )
  })

  it('is named so in CSV and in a table, and in JSON is what the API gives', async () => {
    assert.match(await place.done('trunkline route list', { columns: 80 }), /│ queue +│ acme\/800 │/)
    const csv = await place.done('trunkline agent list --output csv')
    assert.equal(csv, 'id,queue,extension,penalty\n1,acme/800,acme/101,0\n')
    const [{ queue }] = await place.json('trunkline agent list')
    assert.deepEqual(queue, { id: 1, name: 'Support', queue_number: '800' })
  })

  it('has its number alone where the record has a tenant', async () => {
    assert.match(await place.done('trunkline cdr list --fields tenant,extension'), /^acme\t101$/m)
  })

  it('keeps its id within reach', async () => {
    assert.equal(await place.done('trunkline route list --limit 1 --fields target_id'), '1\n')
  })
})
