import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { BUILT_IN } from '../../../../../core/sms/profiles/all.ts'
import { twilio } from '../../../../../core/sms/profiles/builtin/twilio.ts'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { type FakeGateway, startGateway } from '../../../../support/messaging/gateway.ts'

let place: Workplace
let gateway: FakeGateway
before(async () => {
  place = workplace()
  gateway = await startGateway()
  await furnish(place)
  place.env['TRUNKLINE_PROFILES_DIR'] = place.path('profiles')
  mkdirSync(place.path('profiles'))
})
after(async () => {
  await gateway.close()
  place.remove()
})

const own = (name: string, change: (profile: Record<string, unknown>) => unknown = profile => profile): string => {
  const path = place.path(`profiles/${name}.json`)
  writeFileSync(path, JSON.stringify(change({ ...structuredClone(twilio), name })))
  return path
}

describe('profiles', () => {
  it('are listed, those of the folder after those that are built in', async () => {
    own('acme')
    const list = await place.json('trunkline gateway profile list')
    assert.deepEqual(
      list.map(({ name }: { name: string }) => name),
      [...BUILT_IN.map(({ name }) => name), 'acme'],
    )
  })

  it('are shown as a file would hold them', async () => {
    const text = await place.done('trunkline gateway profile show kannel')
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(BUILT_IN.find(({ name }) => name === 'kannel'))))
  })

  it('that are wrong are refused with the path of each fault', async () => {
    const path = own('broken', profile => ({ ...profile, request: { method: 'PUT' }, extra: 1 }))
    const { code, stderr } = await place.run(`trunkline gateway profile check ${path}`)
    assert.equal(code, 65)
    assert.match(stderr, /broken\.json: request\.method: /)
    assert.match(stderr, /broken\.json: extra: is not a member of a profile/)
    const listed = await place.run('trunkline gateway profile list')
    assert.equal(listed.code, 1)
    assert.match(listed.stdout, /^broken\t.*The profile in .*broken\.json is wrong: /m)
    writeFileSync(path, '{')
    assert.match((await place.run(`trunkline gateway profile check ${path}`)).stderr, /not valid JSON/)
    own('broken', profile => ({ ...profile, name: 'twilio' }))
    assert.match((await place.run('trunkline gateway profile list')).stdout, /there is a profile twilio already/)
  })

  it('are checked with a sample reply and receipt, and nothing is sent', async () => {
    const shown = await place.json(
      `trunkline gateway profile check vonage-sms --reply '{"messages":[{"status":"4","error-text":"Bad Credentials"}]}' --receipt 'messageId=0A&status=buffered&client-ref=r1'`,
    )
    assert.deepEqual(shown.reply, {
      isAccepted: false,
      error: 'Vonage SMS API refused the message: Bad Credentials',
    })
    const [receipt] = shown.receipts
    assert.deepEqual([receipt.ids, receipt.reference, receipt.class], [['0A'], 'r1', 'pending'])
    const [gsm, ucs] = shown.requests
    assert.deepEqual([gsm.alphabet, ucs.alphabet], ['GSM-7', 'UCS-2'])
    assert.deepEqual([gsm.form.type, ucs.form.type], ['text', 'unicode'])
    assert.match(await place.done('trunkline gateway profile check twilio'), /the profile is sound/)
  })
})

describe('a gateway that is created with a profile', () => {
  const create = 'trunkline gateway create --username AC1 --password-file - --profile'
  const input = 'auth-token\n'

  it('takes what the profile knows, and says what to enter on the other side', async () => {
    const { code, stderr } = await place.run(`${create} twilio`, { input })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^at Twilio: /m)
    const { callback_token, meta, server_host, use_ssl } = await place.json(
      'trunkline gateway show Twilio --show-secrets',
    )
    assert.deepEqual(
      [callback_token, meta, server_host, use_ssl],
      ['auth-token', { profile: 'twilio' }, 'api.twilio.com', true],
    )
  })

  it("needs what the provider needs, and asks in the provider's words", async () => {
    const { code, stderr } = await place.run(`${create} bandwidth`, { input })
    assert.equal(code, 64)
    assert.match(stderr, /Bandwidth \(Basic\) needs --account account_id=… \(account id\), --account application_id=…/)
    await place.done(`${create} bandwidth --account account_id=9 --account application_id=app`, { input })
    const made = await place.json("trunkline gateway show 'Bandwidth (Basic)' --show-secrets")
    assert.deepEqual(made.meta, { profile: 'bandwidth', account: { account_id: '9', application_id: 'app' } })
    assert.ok(made.callback_token.length >= 20)
    const again = await place.run(`${create} bandwidth --account account_id=9 --account application_id=app`, { input })
    assert.match(again.stderr, /^error: there is a gateway Bandwidth \(Basic\) already: give this one a --name$/m)
    const many = await place.run(`${create} kannel --server-host sms.test --account max_parts=many`, { input })
    assert.match(many.stderr, /^error: --account max_parts=…: max_parts must be a number from 1 to 255\.$/m)
    const unknown = await place.run(`${create} bandwidth --account acount=9`, { input })
    assert.match(unknown.stderr, /--account is written key=value, with one of account_id, application_id, /)
    assert.match((await place.run(`${create} nobody`, { input })).stderr, /There is no profile nobody/)
    assert.match(
      (await place.run(`${create} twilo`, { input })).stderr,
      /There is no profile twilo \(did you mean twilio\?\)/,
    )
  })

  it('sends a test, and shows request and reply without a secret', async () => {
    const at = `--server-host 127.0.0.1 --server-port ${gateway.port} --use-ssl no`
    await place.done(`${create} clicksend ${at} --callback-token hush-hush-hush`, { input })
    gateway.answerWith(200, '{"data":{"messages":[{"message_id":"M1","status":"SUCCESS"}]}}')
    const test = "trunkline gateway test 'ClickSend v3' --to +380501234567 --from ACME --wait 0"
    const { code, stdout, stderr } = await place.run(`${test} --output json`)
    assert.equal(code, 0, stderr)
    const { request, status_class, reply_and_receipts } = JSON.parse(stdout)
    assert.match(request.url, /\/v3\/sms\/send$/)
    assert.deepEqual([status_class, reply_and_receipts.data.messages[0].message_id], ['pending', 'M1'])
    assert.doesNotMatch(stdout + stderr, /auth-token|hush-hush/)
    assert.match(stderr, /^text {7}1 part in UCS-2$/m)
    gateway.answerWith(200, '{"data":{"messages":[{"status":"INSUFFICIENT_CREDIT"}]}}')
    assert.equal((await place.run(test)).code, 1)
  })

  it("uses the operator's own profile", async () => {
    own('acme-sms', profile => ({ ...profile, title: 'Acme SMS' }))
    const at = `--server-host 127.0.0.1 --server-port ${gateway.port} --use-ssl no`
    await place.done(`${create} acme-sms ${at}`, { input })
    gateway.answerWith(201, '{"sid":"SM77"}')
    const sent = await place.json("trunkline sms send --gateway 'Acme SMS' --to +380501234567 --from ACME --message Hi")
    assert.deepEqual([sent.external_message_id, sent.status_class, sent.parts], ['SM77', 'pending', 1])
    assert.ok(sent.reference)
    const long = `trunkline sms send --gateway 'Acme SMS' --to +380501234567 --from ACME --message - `
    own('short-sms', profile => ({ ...profile, title: 'Short', request: { ...twilio.request, maxParts: 1 } }))
    await place.done(`${create} short-sms ${at}`, { input })
    const { code, stderr } = await place.run(long.replace('Acme SMS', 'Short'), { input: 'a'.repeat(161) })
    assert.equal(code, 65)
    assert.match(stderr, /^error: --message: The message takes 2 parts, of which Short sends 1\.\n/)
  })
})
