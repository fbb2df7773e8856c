import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addGateway, MESSAGE } from '../../../support/messaging/gateway.ts'
import { gatewayPlace } from '../../../support/messaging/gateway-place.ts'

const place = gatewayPlace()

const USERNAME = 'user'
const PASSWORD = 'p@ss w0rd/"ä&!\'<b>\\1'

const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const percent = (bytes: string, keep: RegExp): string =>
  [...Buffer.from(bytes)]
    .map(byte => String.fromCharCode(byte))
    .map(unit => (keep.test(unit) ? unit : `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`))
    .join('')

/** The ways in which gateways echo a password in the text of a reply. */
const ECHOES: Readonly<Record<string, string>> = {
  plain: PASSWORD,
  'a JSON text': json(PASSWORD),
  'escaped JSON in JSON': json(json(PASSWORD)),
  'ASCII-only JSON': json(PASSWORD).replace('ä', '\\u00e4'),
  'a URL component': encodeURIComponent(PASSWORD),
  'a form value': encodeURIComponent(PASSWORD).replaceAll('%20', '+'),
  'a strict URL component': percent(PASSWORD, /[A-Za-z0-9_.~-]/),
  'a URL path': percent(PASSWORD, /[A-Za-z0-9_.~/-]/),
  'lower-case escapes': percent(PASSWORD, /[A-Za-z0-9_.~-]/).toLowerCase(),
  HTML: PASSWORD.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'numeric HTML': PASSWORD.replace(/\W/gu, character => `&#${character.codePointAt(0)};`),
  'Basic Auth': Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64'),
}

describe('a password that a gateway echoes', () => {
  for (const [spelling, echo] of Object.entries(ECHOES))
    for (const [status, body] of [
      [200, JSON.stringify({ id: '1', note: `username=user&password=${echo}&x`, [`key ${echo}`]: [{ deep: echo }] })],
      [500, JSON.stringify({ message: `wrong password ${echo}.` })],
      [500, `username=user&password=${echo}`],
    ] as const)
      it(`as ${spelling} in a reply of ${status} ${body.startsWith('{') ? 'JSON' : 'text'} is shown nowhere`, async () => {
        const credentials = { username: USERNAME, password: PASSWORD }
        const id = await addGateway(place.world.service, place.world.session, place.gateway, credentials)
        place.gateway.answerWith(status, body)
        const sent = await place.world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
        assert.equal(sent.json.data.delivery_status, status === 200 ? 'submitted' : 'failed')
        const { external_message_id } = sent.json.data
        const receipt = { message_id: external_message_id, status: 'done', password: echo }
        await place.world.service.request('POST', `/api/sms-gateways/${id}/dlr`, { json: receipt })
        const listed = await place.world.get(`/api/sms-gateways/${id}/messages`)
        for (const { text, json: answered } of [sent, listed]) {
          const shown = JSON.stringify(answered)
          for (const form of [echo, json(echo), PASSWORD, json(PASSWORD)]) assert.ok(!shown.includes(form), text)
          assert.ok(shown.includes('[redacted]'))
        }
        assert.ok(!place.world.service.logged.join('').includes(json(echo)))
      })

  it('is not confirmed by a receipt, which anybody may send', async () => {
    const kept: unknown[] = []
    for (const guess of [PASSWORD, 'a guess', `${USERNAME}:${PASSWORD}`]) {
      const id = await addGateway(place.world.service, place.world.session, place.gateway, {
        username: USERNAME,
        password: PASSWORD,
      })
      place.gateway.answerWith(200, '{"id":"1"}')
      await place.world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
      const basic = Buffer.from(guess).toString('base64')
      const receipt = { message_id: '1', status: guess, text: guess, [guess]: 1, basic, password: guess, pwd: 5 }
      await place.world.service.request('POST', `/api/sms-gateways/${id}/dlr`, { json: receipt })
      const [{ remote_response, delivery_status }] = (await place.world.get(`/api/sms-gateways/${id}/messages`)).json
        .data
      assert.equal(delivery_status, guess.toLowerCase())
      const { text, [guess]: key, basic: encoded, password, pwd } = remote_response
      assert.deepEqual([text, key, encoded], [guess, 1, basic])
      kept.push([password, pwd])
    }
    assert.deepEqual(kept, Array(3).fill(['[redacted]', '[redacted]']))
  })

  it('as a number is taken out, and other numbers stay', async () => {
    const id = await addGateway(place.world.service, place.world.session, place.gateway, { password: '48151623' })
    place.gateway.answerWith(200, '{"id":"1","pin":48151623,"big":4815162342481516234200,"other":4815}')
    const { json } = await place.world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
    const { pin, big, other } = json.data.remote_response
    assert.deepEqual([pin, big, other], ['[redacted]', '[redacted]', 4815])
  })

  it('is not in the message of a failed connection either', async () => {
    const refused = { host: 'hidden-name.invalid', port: 80 }
    const id = await addGateway(place.world.service, place.world.session, refused, { password: 'hidden-name.invalid' })
    const { text, json } = await place.world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
    assert.equal(json.data.delivery_status, 'failed')
    assert.ok(!text.includes('hidden-name'))
  })
})
