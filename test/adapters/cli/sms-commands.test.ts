import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { startService } from '../../support/app.ts'
import { furnish, type Workplace, workplace } from '../../support/cli.ts'
import { type FakeGateway, startGateway } from '../../support/gateway.ts'

let place: Workplace
let gateway: FakeGateway
before(async () => {
  place = workplace()
  gateway = await startGateway()
  await furnish(place)
  await place.done(`trunkline gateway update Jasmin --server-port ${gateway.port} --default-sender-id ACME`)
})
beforeEach(() => gateway.answerWith(200, '{"message_id":"gw-1"}'))
after(async () => {
  await gateway.close()
  place.remove()
})

const shown = (line: string): Promise<string> => place.done(`trunkline sms ${line}`)

const SEND = 'trunkline sms send --gateway Jasmin --to +380501234567'

/** What was said, without how long it took and the ids. */
const said = (stderr: string): string =>
  stderr.replaceAll(/after [\d.]+ s, as message \d+ \(\S+\)/g, 'after N s').replaceAll(String(gateway.port), 'PORT')

describe('a send', () => {
  it('shows how it goes, and prints the record', async () => {
    const { code, stdout, stderr } = await place.run(`${SEND} --message 'Hello there'`)
    assert.equal(code, 0)
    assert.equal(
      said(stderr),
      `queued     for Jasmin (127.0.0.1:PORT)
submitted  after N s
reply      {"message_id":"gw-1"}
`,
    )
    assert.match(stdout, /^delivery_status {6}submitted$/m)
    assert.match(stdout, /^from_sender {10}ACME$/m)
    assert.equal(JSON.parse(gateway.requests.at(-1)?.text ?? '').content, 'Hello there')
  })

  it('takes its text from standard input, in either way of writing it', async () => {
    for (const line of [`${SEND} --message -`, `${SEND} -`]) {
      await place.done(line, { input: 'From a pipe\n' })
      assert.equal(JSON.parse(gateway.requests.at(-1)?.text ?? '').content, 'From a pipe')
    }
  })

  it('that fails ends with 1, its error and the reply of the gateway told', async () => {
    gateway.answerWith(503, 'come back later', 'text/plain')
    const { code, stderr } = await place.run(`${SEND} --message Hello`)
    assert.equal(code, 1)
    assert.match(said(stderr), /^failed {5}after N s\nerror {6}.*503.*\nreply {6}\{"body":"come back later"\}$/m)
  })

  it('prints nothing but the record as JSON with --quiet', async () => {
    const { code, stdout, stderr } = await place.run(`${SEND} --message Hello --from Other --tenant acme -q -o json`)
    assert.deepEqual([code, stderr], [0, ''])
    const { from_sender, tenant_id, remote_response } = JSON.parse(stdout)
    assert.deepEqual([from_sender, tenant_id, remote_response], ['Other', 1, { message_id: 'gw-1' }])
  })

  it('refuses what breaks the rules, and sends nothing', async () => {
    const count = gateway.requests.length
    const ran = await place.run('trunkline sms send --gateway Jasmin --to 0800 --callback-url ftp://x')
    assert.deepEqual(ran, {
      code: 65,
      stdout: '',
      stderr: `error: --to: The to number field format is invalid.
error: --message: The message field is required.
error: --callback-url: The callback url field must be a valid URL.
hint: trunkline sms send --help
`,
    })
    assert.equal(gateway.requests.length, count)
  })

  it('says which flag gives the sender that no gateway has', async () => {
    await place.done(
      'trunkline gateway create --name Bare --provider-type demo --server-host 127.0.0.1 --server-port 9 --username u --password-file -',
      { input: 'kW3-9fQm-Zt81' },
    )
    const { code, stderr } = await place.run('trunkline sms send --gateway Bare --to +380501234567 --message x')
    assert.equal(code, 65)
    assert.equal(stderr, 'error: --from: The from sender field is required.\nhint: trunkline sms send --help\n')
  })

  it('needs a gateway that is there', async () => {
    assert.equal((await place.run('trunkline sms send --to +380501234567 --message x')).code, 64)
    assert.equal((await place.run('trunkline sms send --gateway Kannel --to +380501234567 --message x')).code, 67)
    assert.equal((await place.run(`${SEND} Hello`)).code, 64)
    assert.equal((await place.run(`${SEND} --message x --wait never`)).code, 64)
  })

  it('with --wait ends when the daemon has recorded the receipt', async () => {
    const service = await startService({ db: place.db })
    try {
      gateway.answerWith(200, '{"message_id":"waited-for"}')
      const submitted = gateway.next()
      const sending = place.run(`${SEND} --message Hello --wait 30 -o json`)
      await submitted
      await service.request('POST', '/api/sms-gateways/1/dlr', { json: { id: 'waited-for', status: 'DELIVRD' } })
      const { code, stdout, stderr } = await sending
      assert.equal(code, 0)
      assert.equal(JSON.parse(stdout).delivery_status, 'delivrd')
      assert.match(stderr, /^delivrd {4}receipt at <time>$/m)
    } finally {
      await service.close()
    }
  })

  it('with --wait ends with 1 when the receipt says that it failed', async () => {
    const service = await startService({ db: place.db })
    try {
      gateway.answerWith(200, '{"message_id":"not-delivered"}')
      const submitted = gateway.next()
      const sending = place.run(`${SEND} --message Hello --wait 30`)
      await submitted
      await service.request('POST', '/api/sms-gateways/1/dlr', { json: { id: 'not-delivered', status: 'UNDELIV' } })
      assert.equal((await sending).code, 1)
    } finally {
      await service.close()
    }
  })

  it('with --wait ends with 69 when no daemon is there to record a receipt', async () => {
    const { code, stderr } = await place.run(`${SEND} --message Hello --wait 0.01`)
    assert.equal(code, 69)
    assert.match(stderr, /^error: no receipt came within 0\.01 s, and the daemon.*\nhint: trunkline serve$/m)
  })

  it('with --wait ends with 67 when the message is deleted meanwhile', async () => {
    gateway.answerWith(200, '{"message_id":"deleted"}')
    const submitted = gateway.next()
    const sending = place.run(`${SEND} --message Hello --wait 30`)
    await submitted
    const db = new Sqlite(place.db)
    const deleting = db.prepare(`DELETE FROM sms_messages WHERE external_message_id = 'deleted'`)
    while (deleting.run().changes === 0) await nextTurn()
    db.close()
    const { code, stderr } = await sending
    assert.equal(code, 67)
    assert.match(stderr, /^error: message \d+ was deleted while it was waited for$/m)
  })
})

describe('messages', () => {
  it('are listed, the latest first, by gateway, tenant and state', async () => {
    const ids = async (flags: string) =>
      (await place.json(`trunkline sms list ${flags}`)).map(({ id }: { id: number }) => id)
    const all = await ids('--gateway Jasmin')
    assert.deepEqual(
      all,
      all.toSorted((a: number, b: number) => b - a),
    )
    assert.deepEqual(await ids('--tenant acme'), [5])
    assert.deepEqual(await ids('--status FAILED'), [4])
    const { stderr } = await place.run('trunkline sms list --limit 1 --fields id')
    assert.equal(stderr, `more follow: add --after ${all[0]} for the next\n`)
  })

  it('name their gateway and their tenant in a table and in CSV, and give the ids in JSON', async () => {
    const NAMED = 'id,sms_gateway,tenant\n5,Jasmin,acme\n'
    assert.equal(await shown('list --tenant acme --fields id,sms_gateway,tenant -o csv'), NAMED)
    assert.equal(await shown('show 5 --fields id,sms_gateway,tenant -o csv'), NAMED)
    assert.equal(await shown('list --tenant acme --fields sms_gateway,tenant'), 'Jasmin\tacme\n')
    const [{ sms_gateway_id, tenant_id }] = await place.json('trunkline sms list --tenant acme')
    assert.deepEqual([sms_gateway_id, tenant_id], [1, 1])
  })

  it('are shown one by one', async () => {
    assert.equal((await place.json('trunkline sms show 5')).tenant_id, 1)
    assert.deepEqual(await place.run('trunkline sms show 999'), {
      code: 67,
      stdout: '',
      stderr: 'error: there is no SMS message "999", which is written as ID\nhint: trunkline sms list\n',
    })
  })
})

describe('the token that receipts must bring', () => {
  it('is shown when it is asked for, and in JSON alone', async () => {
    await place.done(`trunkline gateway update Jasmin --callback-token t0ken --meta '{"dlr_token_in":"query:key"}'`)
    const masked = 'http://127.0.0.1:9/api/sms-gateways/1/dlr?key=••••••'
    const sent = await place.done(`${SEND} --message Hello`)
    const id = /^id +(\d+)$/m.exec(sent)?.[1]
    const lines = [sent, ...(await Promise.all([`show ${id}`, 'list', 'list -o csv'].map(shown)))]
    for (const text of lines) assert.ok(text.includes(masked) && !text.includes('t0ken'), text)
    const { callback_url: whole } = await place.json(`trunkline sms show ${id}`)
    assert.equal(whole, masked.replace('••••••', 't0ken'))
    for (const line of [`show ${id} --show-secrets`, 'list --show-secrets'])
      assert.ok((await shown(line)).includes(whole), line)
    await place.done(`trunkline gateway update Jasmin --callback-token '' --meta ''`)
  })
})
