import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import { readReceipts } from '../../../../core/sms/profiles/receipt.ts'
import type { ReceiptRequest } from '../../../../core/sms/profiles/receipt-request.ts'
import type { StatusClass } from '../../../../core/sms/status-class.ts'
import { profileNamed } from './profile-named.ts'

const URL_OF = 'https://pbx.example.com/api/sms-gateways/7/dlr'

const post = (type: string, text: string, query = ''): ReceiptRequest => ({
  method: 'POST',
  url: URL_OF + query,
  headers: { 'content-type': type },
  body: new TextEncoder().encode(text),
})
const form = (text: string, query?: string): ReceiptRequest => post('application/x-www-form-urlencoded', text, query)
const json = (value: unknown, query?: string): ReceiptRequest => post('application/json', JSON.stringify(value), query)
const get = (query: string): ReceiptRequest => ({ ...form('', query), method: 'GET', headers: {} })

type Wanted = readonly [ids: readonly string[], reference: string | null, status: string, statusClass: StatusClass]

const CASES: Readonly<Record<string, readonly (readonly [ReceiptRequest, readonly Wanted[]])[]>> = {
  'jasmin-rest': [
    [form('id=898a&level=2&message_status=DELIVRD&err=000', '?ref=u1'), [[['898a'], 'u1', 'delivrd', 'delivered']]],
    [form('id=898a&level=1&message_status=ESME_ROK'), [[['898a'], null, 'esme_rok', 'pending']]],
    [form('id=898a&level=1&message_status=ESME_RINVDSTADR'), [[['898a'], null, 'esme_rinvdstadr', 'failed']]],
    [form('id=898a&level=2&message_status=UNKNOWN'), [[['898a'], null, 'unknown', 'pending']]],
  ],
  'jasmin-http': [[get('?id=898a&message_status=UNDELIV'), [[['898a'], null, 'undeliv', 'failed']]]],
  kannel: [
    [get('?ref=u1&status=1&answer=id%3A5'), [[[], 'u1', '1', 'delivered']]],
    [get('?ref=u1&status=8'), [[[], 'u1', '8', 'pending']]],
    [get('?ref=u1&status=16&answer=NACK'), [[[], 'u1', '16', 'failed']]],
    [get('?status=1'), []],
  ],
  twilio: [
    [form('MessageSid=SM1&MessageStatus=delivered'), [[['SM1'], null, 'delivered', 'delivered']]],
    [form('MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30003'), [[['SM1'], null, 'undelivered', 'failed']]],
    [form('MessageSid=SM1&MessageStatus=brand-new'), [[['SM1'], null, 'brand-new', 'pending']]],
  ],
  'vonage-sms': [
    [json({ messageId: '0A', status: 'delivered', 'client-ref': 'u1' }), [[['0A'], 'u1', 'delivered', 'delivered']]],
    [get('?messageId=0A&status=buffered'), [[['0A'], null, 'buffered', 'pending']]],
    [form('messageId=0A&status=unknown'), [[['0A'], null, 'unknown', 'unknown']]],
  ],
  'vonage-messages': [
    [json({ message_uuid: 'a', status: 'rejected', client_ref: 'u1' }), [[['a'], 'u1', 'rejected', 'failed']]],
  ],
  plivo: [[form('MessageUUID=db3c&Status=sent'), [[['db3c'], null, 'sent', 'pending']]]],
  telnyx: [
    [
      json({
        data: {
          record_type: 'event',
          id: 'the event',
          event_type: 'message.finalized',
          payload: { id: '4038', to: [{ status: 'delivered' }], errors: [] },
        },
      }),
      [[['4038'], null, 'delivered', 'delivered']],
    ],
    [json({ data: { event_type: 'message.received', payload: { id: '1', to: [{ status: 'delivered' }] } } }), []],
  ],
  infobip: [
    [
      json({
        results: [
          { messageId: 'a', callbackData: 'u1', status: { groupName: 'DELIVERED', name: 'DELIVERED_TO_HANDSET' } },
          { messageId: 'b', status: { groupName: 'DELIVERED', name: 'DELIVERED_TO_OPERATOR' } },
          { messageId: 'c', status: { groupName: 'UNDELIVERABLE', name: 'UNDELIVERABLE_NOT_DELIVERED' } },
        ],
      }),
      [
        [['a'], 'u1', 'delivered_to_handset', 'delivered'],
        [['b'], null, 'delivered_to_operator', 'pending'],
        [['c'], null, 'undeliverable', 'failed'],
      ],
    ],
  ],
  bandwidth: [
    [
      json([{ type: 'message-delivered', message: { id: '15', tag: 'u1' } }, { type: 'message-received' }]),
      [[['15'], 'u1', 'message-delivered', 'delivered']],
    ],
    [json({ type: 'message-failed', message: { id: '15' } }), [[['15'], null, 'message-failed', 'failed']]],
  ],
  sinch: [
    [
      json({ type: 'recipient_delivery_report_sms', batch_id: '01', status: 'Delivered', client_reference: 'u1' }),
      [[['01'], 'u1', 'delivered', 'delivered']],
    ],
    [json({ type: 'delivery_report_sms', batch_id: '01', statuses: [] }), []],
  ],
  bird: [
    [
      json({ type: 'sms.delivered', data: { sms_id: 's', metadata: { ref: 'u1' } } }),
      [[['s'], 'u1', 'sms.delivered', 'delivered']],
    ],
    [json({ type: 'email.delivered', data: { sms_id: 's' } }), []],
  ],
  messagebird: [
    [get('?id=e8&reference=u1&recipient=316&status=delivery_failed'), [[['e8'], 'u1', 'delivery_failed', 'failed']]],
  ],
  clicksend: [
    [form('message_id=BF&status_code=201&custom_string=u1'), [[['BF'], 'u1', '201', 'delivered']]],
    [json({ message_id: 'BF', status_code: 301 }), [[['BF'], null, '301', 'failed']]],
  ],
  'smsc-ru': [[form('id=14&status=1&phone=380'), [[['14'], '14', '1', 'delivered']]]],
}

describe('a receipt', () => {
  for (const { name, title } of BUILT_IN)
    it(`of ${title} is read`, () => {
      const cases = CASES[name] ?? assert.fail('no receipt of it is recorded')
      for (const [request, wanted] of cases)
        assert.deepEqual(
          readReceipts(profileNamed(name), request).map(({ ids, reference, status, class: statusClass }) => [
            ids,
            reference,
            status,
            statusClass,
          ]),
          wanted,
        )
    })

  it('that is garbage is not a receipt, and throws nothing', () => {
    const garbage = [
      '',
      '{',
      '[]',
      '[[[]]]',
      'null',
      '1',
      '"x"',
      '{"data":null}',
      '{"results":[1,null,[]]}',
      '\u0000%%%',
      '&&==',
    ]
    for (const profile of BUILT_IN)
      for (const text of garbage)
        for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/html', ''])
          assert.deepEqual(readReceipts(profile, post(type, text)), [], `${profile.name} ${text}`)
  })

  it('with a method that the provider does not use is not a receipt', () => {
    assert.deepEqual(readReceipts(profileNamed('twilio'), get('?MessageSid=SM1&MessageStatus=delivered')), [])
    assert.deepEqual(readReceipts(profileNamed('messagebird'), form('id=e8&status=delivered')), [])
  })

  it('keeps members such as __proto__ as plain data', () => {
    const [receipt] = readReceipts(profileNamed('twilio'), form('MessageSid=SM1&MessageStatus=sent&__proto__=x'))
    assert.ok(receipt && Object.hasOwn(receipt.payload, '__proto__'))
    assert.equal(Object.getPrototypeOf(receipt.payload), Object.prototype)
  })
})
