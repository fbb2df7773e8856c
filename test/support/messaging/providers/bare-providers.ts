import { ACCOUNT, type Call, type Known, type Provider } from './provider.ts'
import { FORM, fieldsOf, form, post, postJson, textAt } from './wire.ts'

const fromHex = (hex: string): string =>
  String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map(unit => Number.parseInt(unit, 16)))

/** How Jasmin interprets its fields: `coding` 8 takes hexadecimal digits alone, 0 loses what GSM 03.38 lacks. */
function jasmin(fields: Record<string, string>): ReturnType<Provider['read']> {
  const hex = fields['hex-content']
  const text = fields.coding === '8' && hex ? fromHex(hex) : (fields.content ?? '').replaceAll(/[^ -~€ñé\n]/gu, '?')
  return { text, url: fields['dlr-url'] ?? null, reference: null }
}

const jasminReceipt = ({ id, url }: Known, word: string): Call =>
  post(url, FORM, form({ id, level: '2', message_status: word, connector: 'c', err: '000', text: 'Hello' }))
const JASMIN_WORDS = { delivered: 'DELIVRD', failed: 'UNDELIV', pending: 'ESME_ROK' }

/** Providers whose receipts prove nothing: the secret is in their URL. */
export const BARE: readonly Provider[] = [
  {
    profile: 'jasmin-rest',
    gateway: ACCOUNT,
    accepts: id => JSON.stringify({ data: `Success "${id}` }),
    refusal: {
      status: 403,
      body: '{"message":"Error \\"Authentication failure for username:AC1"}',
      error: /Authentic/,
    },
    read: submitted => jasmin(fieldsOf(submitted)),
    receipt: jasminReceipt,
    words: JASMIN_WORDS,
    byUrlOnly: true,
  },
  {
    profile: 'jasmin-http',
    gateway: ACCOUNT,
    accepts: id => `Success "${id}"`,
    refusal: { status: 412, body: 'Error "No route found"', error: /HTTP 412: No route found/ },
    read: submitted => jasmin(fieldsOf(submitted)),
    receipt: jasminReceipt,
    words: JASMIN_WORDS,
    byUrlOnly: true,
  },
  {
    profile: 'kannel',
    gateway: ACCOUNT,
    status: 202,
    accepts: () => '0: Accepted for delivery',
    refusal: { status: 403, body: 'Authorization failed for sendsms', error: /HTTP 403: Authorization failed/ },
    read: submitted => {
      const { text = '', coding, charset, 'dlr-url': url = '' } = fieldsOf(submitted)
      const shown = coding === '2' && charset === 'UTF-8' ? text : text.replaceAll(/[^ -~€ñé\n]/gu, '?')
      return { text: shown, url, reference: null }
    },
    receipt: ({ url }, word) => {
      const filled = url.replaceAll(/%([%dAFIiT])/g, (_, code) =>
        code === '%' ? '%' : code === 'd' ? word : `${code}1`,
      )
      return { method: 'GET', url: filled, headers: {}, body: '' }
    },
    words: { delivered: '1', failed: '2', pending: '8' },
    hasNoId: true,
    byUrlOnly: true,
  },
  {
    profile: 'vonage-sms',
    gateway: ACCOUNT,
    accepts: id => JSON.stringify({ 'message-count': '1', messages: [{ 'message-id': id, status: '0' }] }),
    refusal: {
      status: 200,
      body: '{"message-count":"1","messages":[{"status":"4","error-text":"Bad Credentials"}]}',
      error: /Bad Credentials/,
    },
    read: submitted => {
      const { text = '', type, callback = '', 'client-ref': reference = '' } = fieldsOf(submitted)
      return { text: type === 'unicode' ? text : text.replaceAll(/[^ -~€ñé\n]/gu, '?'), url: callback, reference }
    },
    receipt: ({ id, reference, url }, word) =>
      postJson(url, { messageId: id, status: word, 'err-code': '0', 'client-ref': reference }),
    words: { delivered: 'delivered', failed: 'expired', pending: 'buffered' },
  },
  {
    profile: 'infobip',
    gateway: ACCOUNT,
    accepts: (_, reference) =>
      JSON.stringify({ messages: [{ messageId: reference, status: { groupName: 'PENDING' }, destination: '1' }] }),
    refusal: {
      status: 200,
      body: '{"messages":[{"messageId":"x","status":{"groupName":"REJECTED","name":"REJECTED_NETWORK"}}]}',
      error: /REJECTED_NETWORK/,
    },
    read: submitted => ({
      text: textAt(submitted, 'messages', '0', 'content', 'text'),
      url: textAt(submitted, 'messages', '0', 'webhooks', 'delivery', 'url'),
      reference: textAt(submitted, 'messages', '0', 'webhooks', 'callbackData'),
    }),
    receipt: ({ reference, url }, word) =>
      postJson(url, {
        results: [{ messageId: reference, status: { groupName: word, name: `${word}_X` }, callbackData: reference }],
      }),
    words: { delivered: 'DELIVERED', failed: 'UNDELIVERABLE', pending: 'PENDING' },
    hasNoId: true,
  },
  {
    profile: 'sinch',
    gateway: { ...ACCOUNT, meta: { account: { service_plan_id: 'plan' } } },
    status: 201,
    accepts: id => JSON.stringify({ id, to: ['1'] }),
    refusal: { status: 400, body: '{"code":"syntax","text":"Bad number"}', error: /HTTP 400: Bad number/ },
    read: submitted => ({
      text: textAt(submitted, 'body'),
      url: textAt(submitted, 'callback_url'),
      reference: textAt(submitted, 'client_reference'),
    }),
    receipt: ({ id, reference, url }, word) =>
      postJson(url, {
        ...{ type: 'recipient_delivery_report_sms', batch_id: id, recipient: '1', status: word, code: 0 },
        client_reference: reference,
      }),
    words: { delivered: 'Delivered', failed: 'Rejected', pending: 'Dispatched' },
  },
  {
    profile: 'clicksend',
    gateway: ACCOUNT,
    accepts: id => JSON.stringify({ http_code: 200, data: { messages: [{ message_id: id, status: 'SUCCESS' }] } }),
    refusal: {
      status: 200,
      body: '{"http_code":200,"response_msg":"x","data":{"messages":[{"status":"INSUFFICIENT_CREDIT"}]}}',
      error: /INSUFFICIENT_CREDIT/,
    },
    read: submitted => ({
      text: textAt(submitted, 'messages', '0', 'body'),
      url: null,
      reference: textAt(submitted, 'messages', '0', 'custom_string'),
    }),
    receipt: ({ id, reference, url }, word) =>
      post(url, FORM, form({ message_id: id, status_code: word, custom_string: reference })),
    words: { delivered: '201', failed: '301', pending: '200' },
  },
  {
    profile: 'smsc-ru',
    gateway: ACCOUNT,
    accepts: (_, reference) => JSON.stringify({ id: Number(reference), cnt: 1 }),
    refusal: { status: 200, body: '{"error":"invalid number","error_code":7}', error: /invalid number/ },
    read: submitted => {
      const { mes: text = '', id: reference = '', charset } = fieldsOf(submitted)
      return { text: charset === 'utf-8' ? text : '', url: null, reference }
    },
    receipt: ({ reference, url }, word) => post(url, FORM, form({ id: reference, phone: '1', status: word })),
    words: { delivered: '1', failed: '20', pending: '-1' },
    hasNoId: true,
  },
]
