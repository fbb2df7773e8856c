import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startService, type TestService } from '../../support/app.ts'
import { longestHold } from '../../support/event-loop.ts'
import { addGateway, type FakeGateway, startGateway } from '../../support/gateway.ts'
import { rawRequest } from '../../support/raw.ts'

const BODY = 65_536
const MAX_MS = 10
/** Compilation and the collection of garbage of others fall into some rounds, not into all. */
const ROUNDS = 6

let service: TestService
let sms: FakeGateway
let receipts: string
before(async () => {
  service = await startService()
  sms = await startGateway()
  receipts = `/api/sms-gateways/${await addGateway(service, await service.login(), sms)}/dlr`
})
after(async () => {
  await service.close()
  await sms.close()
})

/** As often as it fits between the two in a body that is read. */
function filled(first: string, piece: string, last = '', size = BODY): string {
  return first + piece.repeat((size - first.length - last.length) / piece.length) + last
}

const nested = (depth: number, open: string, close: string, more = ''): string =>
  `{"id":"m"${more},"a":${open.repeat(depth)}1${close.repeat(depth)}}`

const part = (name: string, value: string, more = ''): string =>
  `--x\r\n${more}Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const parts = (count: number, make: (n: number) => string): string =>
  `${Array.from({ length: count }, (_, n) => make(n)).join('')}--x--\r\n`

/** Has the numbers read one by one, since a double cannot hold it. */
const LONG = ',"n":12345678901234567890'

const JSON_BODIES: Readonly<Record<string, string>> = {
  'more members than are read': filled(`{"id":"m"${LONG},"a":[`, '{},', '1]}'),
  'one text': filled('{"id":"m","a":"', 'x', '"}'),
  escapes: filled(`{"id":"m"${LONG},"a":"`, '\\u0041', '"}'),
  'one number': filled('{"id":"m","a":', '1', '}'),
  'one fraction': filled('{"id":"m","a":0.', '1', '}'),
  'arrays without end': filled('{"id":"m","a":', '['),
  'deep arrays': nested(32_000, '[', ']'),
  'deep objects': nested(9_000, '{"a":', '}'),
  'deep arrays and a long number': nested(5_000, '[', ']', LONG),
  'deep objects and a long number': nested(3_000, '{"a":', '}', LONG),
  'white space and a long number': filled(`{"id":"m"${LONG}`, ' ', '}'),
  'many members': `{"id":"m"${LONG},${Array.from({ length: 990 }, (_, n) => `"k${n}":"${'x'.repeat(50)}"`).join()}}`,
  'many objects': `{"id":"m"${LONG},"a":[${Array.from({ length: 990 }, () => '{"a":{"b":{"c":[]}}}').join()}]}`,
}

const FORMS: Readonly<Record<string, string>> = {
  'more fields than are read': filled('id=m', '&a'),
  'many fields': `id=m&${Array.from({ length: 990 }, (_, n) => `k${n}=${'%41'.repeat(18)}`).join('&')}`,
  'empty fields': filled('id=m', '&'),
  escapes: filled('id=m&a=', '%41'),
  'white space': filled('', ' ', 'id=m'),
}

const MULTIPARTS: Readonly<Record<string, string>> = {
  'more parts than are read': parts(1_000, n => part(`${n}`, 'v')),
  'many parts': parts(100, n => part(`k${n}`, 'v'.repeat(500))),
  'many parts with many headers': parts(99, n => part(`k${n}`, 'v', 'A: b\r\n'.repeat(80))),
  'many parts of another character set': parts(99, n =>
    part(`k${n}`, 'v'.repeat(400), 'Content-Type: text/plain; charset=utf-16le\r\n'),
  ),
  'a long header': parts(1, () => part('id', 'm', `A: ${'a'.repeat(60_000)}\r\n`)),
  'many parameters': parts(
    1,
    () => `--x\r\nContent-Disposition: form-data${'; a=b'.repeat(11_000)}; name="id"\r\n\r\nm\r\n`,
  ),
  'many quotes': parts(1, () => part('\\"'.repeat(30_000), 'm')),
  'beginnings of boundaries': parts(1, () => part('id', '\r\n--'.repeat(15_000))),
  'a long preamble': filled(
    '',
    '\r\n-',
    parts(1, () => part('id', 'm')),
  ),
}

/** The least of the longest holds of some rounds, in milliseconds of processor time. */
async function held(send: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await longestHold(send))
  return least
}

const post = (type: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<unknown> =>
  rawRequest(service.url, { method: 'POST', path: receipts, headers: { 'content-type': type, ...headers }, body })

const isShort = async (send: () => Promise<unknown>, what: string): Promise<void> => {
  const ms = await held(send)
  assert.ok(ms < MAX_MS, `${what}: ${ms} ms`)
}

describe('a request without a session holds the event loop for less than 10 ms', { timeout: 120_000 }, () => {
  for (const [type, bodies] of [
    ['application/json', JSON_BODIES],
    ['application/x-www-form-urlencoded', FORMS],
    ['multipart/form-data; boundary=x', MULTIPARTS],
  ] as const)
    it(`whatever it holds as ${type.replace(/;.*/, '')}, packed or not`, async () => {
      for (const [what, body] of Object.entries(bodies)) {
        assert.ok(body.length <= BODY, what)
        await isShort(() => post(type, body), what)
        await isShort(() => post(type, gzipSync(body), { 'content-encoding': 'gzip' }), `${what}, packed`)
      }
    })

  it('whatever its path, query and headers', async () => {
    const long = 14_000
    const get =
      (path: string, headers: Record<string, string> = {}) =>
      () =>
        rawRequest(service.url, { method: 'GET', path, headers })
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`h${n}`, 'x']))
    await isShort(get(`/api/${'a/'.repeat(long / 2)}`), 'many segments')
    await isShort(get(`/${'%'.repeat(long)}`), 'broken escapes')
    await isShort(get(`${receipts}?${'a=%41&'.repeat(long / 6)}`), 'a long query')
    await isShort(get('/api/tenants', { cookie: 'a=b; '.repeat(long / 5) }), 'many cookies')
    await isShort(get('/docs', { accept: 'a/b;q=0.1,'.repeat(long / 10) }), 'many types')
    await isShort(get('/openapi.json', many), 'many headers')
    await isShort(
      () =>
        post(
          `multipart/form-data;${' '.repeat(long)}boundary=x`,
          parts(1, () => part('id', 'm')),
        ),
      'spaces',
    )
    await isShort(() => post('application/json', '{}', { 'content-encoding': `${' '.repeat(long)}x` }), 'an encoding')
  })

  it('whatever it gives as credentials', async () => {
    const login = (body: string) => () =>
      rawRequest(service.url, {
        method: 'POST',
        path: '/api/admin/login',
        headers: { 'content-type': 'application/json' },
        body,
      })
    for (const email of ['@', 'a.', '.@', 'a@b.', '-'])
      await isShort(login(filled('{"password":"x","email":"', email, '@b.example"}', 4_096)), email)
    await isShort(login(filled('', '[', '', 4_096)), 'deep arrays')
  })
})
