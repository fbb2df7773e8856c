import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import { type ProviderReply, readReply } from '../../../../core/sms/profiles/reply.ts'
import { profileNamed } from './profile-named.ts'

type Case = readonly [status: number, body: string, wanted: readonly string[] | RegExp]

/** Replies as the providers' own sources and pages show them: the ids of an accepted message, or what the error says. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  'jasmin-rest': [
    [200, '{"data": "Success \\"898aa385-ec44-4e7c"}', ['898aa385-ec44-4e7c']],
    [400, '{"message": "Error \\"Argument [foo] is unknown."}', /^HTTP 400: Argument \[foo\] is unknown\.$/],
    [401, '{"title":"Authentication required","description":"…"}', /^HTTP 401: Authentication required$/],
  ],
  'jasmin-http': [
    [200, 'Success "715febb7-ec44-4e7c-a1bd-a526912bdf8a"', ['715febb7-ec44-4e7c-a1bd-a526912bdf8a']],
    [403, 'Error "Authentication failure for username:foo"', /^HTTP 403: Authentication failure/],
  ],
  kannel: [
    [202, '0: Accepted for delivery', []],
    [202, '3: Queued for later delivery', []],
    [202, 'Sent.', []],
    [403, 'Authorization failed for sendsms', /^HTTP 403: Authorization failed/],
    [200, 'hello', /^HTTP 200: hello$/],
    [202, 'hello', /^Kannel refused the message: hello$/],
  ],
  twilio: [
    [201, '{"sid":"SM1","status":"queued","error_code":null}', ['SM1']],
    [400, '{"code":21211,"message":"Invalid To","status":400}', /^HTTP 400: Invalid To$/],
  ],
  'vonage-sms': [
    [200, '{"message-count":"1","messages":[{"message-id":"0A","status":"0"}]}', ['0A']],
    [
      200,
      '{"message-count":"2","messages":[{"message-id":"0A","status":"0"},{"message-id":"0B","status":"0"}]}',
      ['0A', '0B'],
    ],
    [200, '{"messages":[{"status":"4","error-text":"Bad Credentials"}]}', /refused the message: Bad Credentials$/],
    [
      200,
      '{"messages":[{"message-id":"0A","status":"0"},{"status":"1","error-text":"Throttled"}]}',
      /refused the message: Throttled$/,
    ],
    [200, '{"messages":[]}', /^Vonage SMS API refused the message$/],
  ],
  'vonage-messages': [
    [202, '{"message_uuid":"aaaa"}', ['aaaa']],
    [422, '{"type":"x","title":"Invalid params","detail":"to is wrong"}', /^HTTP 422: to is wrong$/],
  ],
  plivo: [
    [202, '{"api_id":"a","message":"message(s) queued","message_uuid":["db3ce55a"]}', ['db3ce55a']],
    [202, '{"api_id":"a","message":"x","message_uuid":[],"invalid_number":["123"]}', /refused the message: 123$/],
    [404, '{"api_id":"a","error":"not found"}', /^HTTP 404: not found$/],
  ],
  telnyx: [
    [200, '{"data":{"id":"4038","to":[{"status":"queued"}],"parts":1}}', ['4038']],
    [400, '{"errors":[{"code":"10002","title":"Invalid","detail":"bad number"}]}', /^HTTP 400: bad number$/],
  ],
  infobip: [
    [200, '{"messages":[{"messageId":"m1","status":{"groupId":1,"groupName":"PENDING"}}]}', ['m1']],
    [
      200,
      '{"messages":[{"messageId":"m1","status":{"groupName":"REJECTED","name":"REJECTED_DESTINATION"}}]}',
      /refused the message: REJECTED_DESTINATION$/,
    ],
    [401, '{"errorCode":"E401","description":"Unauthorized"}', /^HTTP 401: Unauthorized$/],
  ],
  bandwidth: [
    [202, '{"id":"1589","segmentCount":1}', ['1589']],
    [400, '{"type":"request-validation","description":"Bad","fieldErrors":[{"description":"no to"}]}', /: no to$/],
  ],
  sinch: [
    [201, '{"id":"01J06","to":["1555"]}', ['01J06']],
    [400, '{"code":"syntax_invalid_json","text":"Invalid JSON"}', /^HTTP 400: Invalid JSON$/],
  ],
  bird: [
    [202, '{"id":"sms_1","status":"accepted"}', ['sms_1']],
    [422, '{"error":{"type":"validation_error","code":"c","message":"too long"}}', /^HTTP 422: too long$/],
  ],
  messagebird: [
    [201, '{"id":"e8077d","reference":"42","recipients":{"items":[{"status":"sent"}]}}', ['e8077d']],
    [401, '{"errors":[{"code":2,"description":"Request not allowed"}]}', /^HTTP 401: Request not allowed$/],
  ],
  clicksend: [
    [200, '{"http_code":200,"data":{"messages":[{"message_id":"BF7A","status":"SUCCESS"}]}}', ['BF7A']],
    [
      200,
      '{"http_code":200,"data":{"messages":[{"message_id":"BF7A","status":"INVALID_RECIPIENT"}]}}',
      /refused the message: INVALID_RECIPIENT$/,
    ],
  ],
  'smsc-ru': [
    [200, '{"id":14,"cnt":1}', ['14']],
    [200, '{"error":"authorise error","error_code":2}', /refused the message: authorise error$/],
  ],
}

const check = (reply: ProviderReply, wanted: Case[2]): void => {
  if (wanted instanceof RegExp) assert.match(reply.isAccepted ? `accepted ${reply.ids}` : reply.error, wanted)
  else assert.deepEqual(reply, { isAccepted: true, ids: wanted })
}

describe('a reply', () => {
  for (const { name, title } of BUILT_IN)
    it(`of ${title} is read`, () => {
      const cases = CASES[name] ?? assert.fail('no reply of it is recorded')
      for (const [status, body, wanted] of cases) check(readReply(profileNamed(name), status, body), wanted)
    })

  it('that is not a success is an error, whatever it contains', () => {
    for (const profile of BUILT_IN)
      for (const body of ['', '{}', '[]', 'null', '<html>', '{"id":{"a":1}}'])
        assert.equal(readReply(profile, 500, body).isAccepted, false, profile.name)
  })
})
