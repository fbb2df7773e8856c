import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatTimestamp } from '../../../../../core/dates.ts'
import { classOf } from '../../../../../core/sms/status-class.ts'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { changed } from '../../../../support/data/reader.ts'
import { startService } from '../../../../support/http/app.ts'
import { type FakeGateway, startGateway } from '../../../../support/messaging/gateway.ts'

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

/** The output, without durations and ids. */
const said = (stderr: string): string =>
  stderr.replaceAll(/after [\d.]+ s, as message \d+ \(\S+\)/g, 'after N s').replaceAll(String(gateway.port), 'PORT')

describe('a send', () => {
  it('shows its progress, and prints the record', async () => {
    const { code, stdout, stderr } = await place.run(`${SEND} --message 'Hello there'`)
    assert.equal(code, 0)
    assert.equal(
      said(stderr),
      `text       1 part in GSM-7
queued     for Jasmin (127.0.0.1:PORT)
submitted  after N s
reply      {"message_id":"gw-1"}
`,
    )
    assert.match(stdout, /^delivery_status {6}submitted$/m)
    assert.match(stdout, /^from_sender {10}ACME$/m)
    assert.equal(JSON.parse(gateway.requests.at(-1)?.text ?? '').content, 'Hello there')
  })

  it('reads its text from standard input, given `-` or `--message -`', async () => {
    for (const line of [`${SEND} --message -`, `${SEND} -`]) {
      await place.done(line, { input: 'From a pipe\n' })
      assert.equal(JSON.parse(gateway.requests.at(-1)?.text ?? '').content, 'From a pipe')
    }
  })

  it("that fails ends with 1, and prints the error and the gateway's reply", async () => {
    gateway.answerWith(503, 'come back later', 'text/plain')
    const { code, stderr } = await place.run(`${SEND} --message Hello`)
    assert.equal(code, 1)
    assert.match(said(stderr), /^failed {5}after N s\nerror {6}.*503.*\nreply {6}\{"body":"come back later"\}$/m)
  })

  it('prints only the record as JSON with --quiet', async () => {
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

  it('names the flag for the sender if the gateway has no default', async () => {
    await place.done(
      'trunkline gateway create --name Bare --provider-type demo --server-host 127.0.0.1 --server-port 9 --username u --password-file -',
      { input: 'kW3-9fQm-Zt81' },
    )
    const { code, stderr } = await place.run('trunkline sms send --gateway Bare --to +380501234567 --message x')
    assert.equal(code, 65)
    assert.equal(stderr, 'error: --from: The from sender field is required.\nhint: trunkline sms send --help\n')
  })

  it('needs an existing gateway', async () => {
    assert.equal((await place.run('trunkline sms send --to +380501234567 --message x')).code, 64)
    assert.equal((await place.run('trunkline sms send --gateway Kannel --to +380501234567 --message x')).code, 67)
    assert.equal((await place.run(`${SEND} Hello`)).code, 64)
    assert.equal((await place.run(`${SEND} --message x --wait never`)).code, 64)
  })

  /** Sends with --wait, and makes the gateway report these statuses in order. */
  const waitingFor = async (statuses: readonly string[], flags = '--wait 30') => {
    const service = await startService({ db: place.db })
    try {
      const id = `waited-for-${statuses.join()}`
      gateway.answerWith(200, JSON.stringify({ id }))
      const submitted = gateway.next()
      const sending = place.run(`${SEND} --message Hello ${flags}`)
      await submitted
      for (const status of statuses) await service.request('POST', '/api/sms-gateways/1/dlr', { json: { id, status } })
      return await sending
    } finally {
      await service.close()
    }
  }

  it('with --wait ends with 0 when the receipt says that it was delivered', async () => {
    const { code, stdout, stderr } = await waitingFor(['DELIVRD'], '--wait 30 -o json')
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).delivery_status, 'delivrd')
    assert.match(stderr, /^delivrd {4}receipt at <time>$/m)
  })

  it('with --wait ends with 1 when the receipt says that it was not', async () => {
    for (const status of ['UNDELIV', 'REJECTD', 'rejected', 'expired', 'Deleted'])
      assert.equal((await waitingFor([status])).code, 1, status)
  })

  it("with --wait ends with 1 if the receipt's status is not known to mean delivered", async () => {
    const { code, stderr } = await waitingFor(['odd'])
    assert.equal(code, 1)
    assert.match(stderr, /^error: the receipt says "odd", which is not known to mean delivered$/m)
  })

  it('with --wait keeps waiting after a receipt that says it is on its way', async () => {
    const { code, stdout } = await waitingFor(['ACCEPTD', 'ENROUTE', 'DELIVRD'], '--wait 30 -o json')
    assert.deepEqual([code, JSON.parse(stdout).delivery_status], [0, 'delivrd'])
    const late = await waitingFor(['ENROUTE'], '--wait 0.6')
    assert.equal(late.code, 1)
    assert.match(late.stderr, /^error: after 0\.6 s the message is still "enroute"$/m)
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
    const deleting = `DELETE FROM sms_messages WHERE external_message_id = 'deleted' RETURNING id`
    while ((await changed(place.db, deleting)).length === 0) await nextTurn()
    const { code, stderr } = await sending
    assert.equal(code, 67)
    assert.match(stderr, /^error: message \d+ was sent, and has been deleted since$/m)
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
    assert.equal(stderr, `there are more: add --after ${all[0]} for the next\n`)
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
      stderr: 'error: there is no SMS message "999"; give its ID\nhint: trunkline sms list\n',
    })
  })
})

describe('sms list --stuck', () => {
  const ids = async (flags: string): Promise<number[]> =>
    (await place.json(`trunkline sms list ${flags}`)).map(({ id }: { id: number }) => id)

  it('lists the messages without a final status for an hour, or for the given time', async () => {
    const ages = [
      ['queued', 61],
      ['submitted', 90],
      ['enroute', 200],
      ['submitted', 59],
      ['delivrd', 90],
      ['failed', 90],
    ] as const
    const rows = ages.map(([status, minutes]) => {
      const at = formatTimestamp(Date.now() - minutes * 60_000, 0)
      const id = `stuck-${minutes}-${status}`
      return `(1, '1', '1', 'x', '${id}', '${status}', 'outbound', 'http://x', '${classOf(status)}', '${at}', '${at}', '${at}')`
    })
    const made = await changed(
      place.db,
      `INSERT INTO sms_messages (sms_gateway_id, to_number, from_sender, message, external_message_id, delivery_status,
         direction, callback_url, status_class, requested_at, created_at, updated_at)
       VALUES ${rows.join()} RETURNING id`,
    )
    const [queued, submitted, enroute, recent] = made.flat()
    assert.deepEqual(await ids('--stuck'), [queued, submitted, enroute])
    assert.deepEqual(await ids('--stuck 85'), [submitted, enroute])
    assert.deepEqual((await ids('--stuck 50')).slice(0, 2), [recent, queued])
    const since = formatTimestamp(Date.now() - 100 * 60_000, 0)
    assert.deepEqual(await ids(`--stuck --since ${since}`), [queued, submitted])
    assert.deepEqual(await ids(`--status submitted --until ${since}`), [])
    assert.ok((await ids(`--since ${since}`)).length > 4)
  })

  it('needs an age above 0, and refuses --status beside it', async () => {
    for (const flags of ['--stuck 0', '--stuck soon', '--stuck --status queued'])
      assert.equal((await place.run(`trunkline sms list ${flags}`)).code, 64, flags)
  })
})

describe('the token that receipts must bring', () => {
  it('is shown on request only', async () => {
    await place.done(`trunkline gateway update Jasmin --callback-token t0ken --meta '{"dlr_token_in":"query:key"}'`)
    const whole = 'http://127.0.0.1:9/api/sms-gateways/1/dlr?key=t0ken'
    const masked = whole.replace('t0ken', '••••••')
    const sent = await place.done(`${SEND} --message Hello`)
    const id = /^id +(\d+)$/m.exec(sent)?.[1]
    const forms = ['', ' -o json', ' -o ndjson', ' -o csv'].flatMap(form => [`show ${id}${form}`, `list${form}`])
    const lines = [sent, await place.done(`${SEND} --message Hello -o json`), ...(await Promise.all(forms.map(shown)))]
    for (const text of lines) assert.ok(text.includes(masked) && !text.includes('t0ken'), text)
    for (const line of forms) assert.ok((await shown(`${line} --show-secrets`)).includes(whole), line)
    await place.done(`trunkline gateway update Jasmin --callback-token '' --meta ''`)
  })

  it('is hidden in a callback of our own too, with what stands before its host', async () => {
    const sent = `${SEND} --message Hello -o json --callback-url https://me:pass@hooks.example.com/dlr?a=1#b`
    const { callback_url } = JSON.parse(await place.done(sent))
    assert.equal(callback_url, 'https://••••••@hooks.example.com/dlr?a=••••••#b')
  })
})
