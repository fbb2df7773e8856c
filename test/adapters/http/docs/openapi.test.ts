import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { httpApp, type RouteOptions } from '../../../../adapters/http/app.ts'
import type { OpenApiDocument } from '../../../../adapters/http/docs/openapi.ts'
import { serve } from '../../../../adapters/http/server.ts'
import { AppError, type ErrorCode } from '../../../../core/errors.ts'
import { exposedResources } from '../../../../core/resources/all.ts'
import { ADMIN, startService, type TestService } from '../../../support/http/app.ts'
import {
  type Documented,
  operationsOutsideConsole,
  type ResponseChecker,
  responseChecker,
} from '../../../support/http/responses.ts'
import { type FakeGateway, startGateway } from '../../../support/messaging/gateway.ts'

let service: TestService
let gateway: FakeGateway
let document: OpenApiDocument
let checker: ResponseChecker
/** The id of the record that each path creates, which is 1 except on Citus. */
const created = new Map<string, number>()
/** The documented responses seen so far: "GET /api/tenants 200". */
const seen = new Set<string>()

before(async () => {
  service = await startService()
  gateway = await startGateway()
  document = (await service.request('GET', '/openapi.json')).json
  checker = responseChecker(document)
})
after(async () => {
  await service.close()
  await gateway.close()
})

const documentedOperations = (): Documented[] => operationsOutsideConsole(document)
const concrete = (path: string, id = created.get(path.replace(/\/\{.*/, '')) ?? 1): string =>
  path.replace(/\{\w+\}/, String(id))
const isJsonBody = ({ operation }: Documented): boolean =>
  operation.requestBody !== undefined && Object.keys(operation.requestBody.content).join() === 'application/json'

interface Call {
  readonly path?: string
  readonly json?: unknown
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly session?: string
  readonly url?: string
}

/** Calls an operation and fails unless it answers with that status, as documented. */
async function answers(status: number, { method, path }: Documented, call: Call = {}): Promise<string> {
  const { url = service.url, json, body, headers, session } = call
  const target = call.path ?? concrete(path)
  const given = json === undefined ? body : JSON.stringify(json)
  const response = await fetch(url + target, {
    method,
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(session === undefined ? {} : { cookie: session }),
      ...headers,
    },
    ...(given === undefined ? {} : { body: given }),
  })
  const text = await response.text()
  const where = `${method} ${target}: ${response.status} ${text.slice(0, 300)}`
  assert.equal(response.status, status, where)
  const contentType = response.headers.get('content-type') ?? ''
  assert.equal(checker.problem({ method, path: target, status, contentType, text }), null, where)
  seen.add(`${method} ${path} ${status}`)
  return text
}

const find = (method: string, path: string): Documented => {
  const found = documentedOperations().find(operation => operation.method === method && operation.path === path)
  assert.ok(found, `${method} ${path} is not documented`)
  return found
}

const example = ({ operation }: Documented): Record<string, unknown> => {
  const given = operation.requestBody?.content['application/json']?.example
  assert.ok(typeof given === 'object' && given !== null)
  return Object.fromEntries(Object.entries(given))
}

/** The collections in order of reference, with their paths to one record. */
const collections = (): { list: Documented; create: Documented; record: string }[] =>
  exposedResources.map(({ path }) => ({
    list: find('GET', `/api/${path}`),
    create: find('POST', `/api/${path}`),
    record: Object.keys(document.paths).find(known => known.startsWith(`/api/${path}/{`) && known.endsWith('}')) ?? '',
  }))

test('an undocumented response is noticed', () => {
  const received = { method: 'GET', path: '/api/admin/me', status: 200, contentType: 'application/json' }
  const data = { name: 'A', email: 'a@example.com', logged_in: true }
  const message = 'Authenticated user loaded.'
  assert.equal(checker.problem({ ...received, text: JSON.stringify({ message, data }) }), null)
  const wrong = [{ message }, { message: 'Hello.', data }, { message, data: { ...data, password: 'x' } }]
  for (const body of wrong) assert.notEqual(checker.problem({ ...received, text: JSON.stringify(body) }), null)
  assert.notEqual(checker.problem({ ...received, status: 418, text: '{"message":"Tea."}' }), null)
})

test('the examples of requests are accepted and answered as documented', async () => {
  const login = find('POST', '/api/admin/login')
  await answers(200, login, { json: ADMIN })
  const session = await service.login()
  for (const { list, create, record } of collections()) {
    const body = example(create)
    created.set(create.path, JSON.parse(await answers(201, create, { json: body, session })).data.id)
    await answers(200, list, { session })
    await answers(200, list, { path: `${list.path}?limit=1&search=a`, session })
    await answers(200, find('GET', record), { session })
    await answers(200, find('PUT', record), { json: body, session })
    await answers(200, find('PATCH', record), { json: body, session })
  }
  await answers(200, find('GET', '/api/tenants/{tenant}'), { session })
})

test('sending, receipts and the list of messages answer as documented', async () => {
  const session = await service.login()
  const path = (last: string): string => `/api/sms-gateways/{smsGateway}${last}`
  const change = find('PATCH', path(''))
  await answers(200, change, {
    json: { server_host: gateway.host, server_port: gateway.port, use_ssl: false },
    session,
  })
  const send = find('POST', path('/send'))
  await answers(200, send, { json: example(send), session })
  gateway.answerWith(503, 'down', 'text/plain')
  await answers(200, send, { json: example(send), session })
  await answers(200, find('GET', path('/messages')), { session })
  await answers(200, find('GET', path('/messages')), { path: '/api/sms-gateways/1/messages?search=x', session })
  for (const receipt of [find('POST', path('/dlr')), find('POST', '/webhooks/gateway/{smsGateway}/dlr')]) {
    await answers(200, receipt, { json: example(receipt) })
    const form = {
      body: 'message_id=gw-1&status=DELIVRD',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    await answers(200, receipt, form)
    await answers(200, change, { json: { meta: { dlr_ack: 'ACK/Jasmin' } }, session })
    assert.equal(await answers(200, receipt, form), 'ACK/Jasmin')
    const guarded = { callback_token: 'token', meta: { dlr_token_in: 'query:token' } }
    await answers(200, change, { json: guarded, session })
    await answers(403, receipt, form)
    await answers(200, change, { json: { meta: null, callback_token: null }, session })
  }
})

test('routes of messages, and sending by them, answer as documented', async () => {
  const session = await service.login()
  const send = find('POST', '/api/sms-routes/send')
  await answers(404, send, { json: example(send), session })
  const set = find('PUT', '/api/sms-routes')
  await answers(200, set, { json: { gateways: [1] }, session })
  await answers(200, find('GET', '/api/sms-routes'), { session })
  await answers(200, send, { json: example(send), session })
})

test('the endpoints for people and probes answer as documented', async () => {
  const session = await service.login()
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/reference.css'])
    await answers(200, find('GET', path))
  await answers(200, find('GET', '/api/admin/me'), { session })
  await answers(200, find('POST', '/api/admin/logout'), { session })
})

test('the service gives every documented refusal', async () => {
  const session = await service.login()
  const json = { 'content-type': 'application/json' }
  const foreign = { origin: 'https://elsewhere.example' }
  const refusals: Readonly<Record<number, (documented: Documented) => Call>> = {
    400: () => ({ body: '{', headers: json, session }),
    401: documented => (isJsonBody(documented) ? { json: {} } : {}),
    403: () => ({ headers: foreign, session }),
    404: ({ path }) => ({ path: concrete(path, 999_999), session }),
    413: () => ({ body: `"${'x'.repeat(1024 * 1024)}"`, headers: json, session }),
    415: () => ({ body: '<tenant/>', headers: { 'content-type': 'application/xml' }, session }),
    422: documented =>
      isJsonBody(documented) ? { json: [], session } : { path: `${concrete(documented.path)}?limit=0`, session },
  }
  for (const documented of documentedOperations())
    for (const [status, call] of Object.entries(refusals)) {
      if (!(status in documented.operation.responses) || seen.has(`${documented.method} ${documented.path} ${status}`))
        continue
      await answers(Number(status), documented, call(documented))
    }
})

test('deleting answers as documented, with dependants and without', async () => {
  const session = await service.login()
  const removals = documentedOperations().filter(({ method }) => method === 'DELETE')
  for (const removal of removals) if ('409' in removal.operation.responses) await answers(409, removal, { session })
  for (const removal of removals.reverse()) await answers(200, removal, { session })
})

test('a login with wrong credentials is distinguished from one that cannot be read, until there were too many', async () => {
  const login = find('POST', '/api/admin/login')
  const wrong = { json: { ...ADMIN, password: 'wrong' } }
  assert.equal(await answers(422, login, wrong), '{"message":"Invalid credentials."}')
  for (let i = 1; i < 10; i++) await answers(422, login, wrong)
  await answers(429, login, wrong)
})

/** The application over use cases that all fail the same way. */
async function startFailing(code: ErrorCode) {
  const fail = async (): Promise<never> => {
    throw new AppError(code, 'It cannot be done now.', { retryAfter: 1 })
  }
  const options: RouteOptions = {
    administration: {
      list: fail,
      show: fail,
      assertExists: fail,
      create: fail,
      replace: fail,
      amend: fail,
      change: fail,
      changeAll: fail,
      remove: fail,
    },
    tools: service.trunkline.tools,
    access: { ...service.trunkline.access, standing: fail },
    overview: fail,
    accountKeeping: {
      list: fail,
      named: fail,
      create: fail,
      change: fail,
      changePassword: fail,
      remove: fail,
      sessions: fail,
      endSession: fail,
      endSessions: fail,
    },
    browsing: { part: fail, count: fail, one: fail, secrets: fail, assertSeen: () => {} },
    messaging: {
      send: fail,
      receipt: fail,
      misdirected: fail,
      takesGet: fail,
      sendRouted: fail,
      resend: fail,
      preview: fail,
      setup: fail,
      sweep: fail,
    },
    smsRouting: { list: fail, set: fail, remove: fail },
    security: { loginFailed: () => {}, lockedOut: () => {}, tokenRefused: () => {}, settle: fail },
    signIn: { authenticate: fail, open: fail, resume: fail, end: fail, forgetExpired: fail },
    loginCounts: {
      add: async () => [],
      takeBack: async () => {},
      clear: async () => {},
      forgetExpired: async () => {},
    },
    serverKeys: { find: async () => 'key' },
    heartbeat: { beat: fail },
    baseUrl: service.url,
  }
  const { notices } = service.trunkline.storage
  return serve(
    () => httpApp({ ...options, notices, log: pino({ level: 'silent' }), isBaseUrlSet: true, trustedProxies: 0 }),
    {
      host: '127.0.0.1',
      port: 0,
    },
  )
}

test('a busy database and a full disk are answered as documented', async () => {
  const session = `trunkline_session=${'A'.repeat(43)}`
  for (const [status, code] of [[503, 'busy'] as const, [507, 'storage_full'] as const]) {
    const server = await startFailing(code)
    for (const documented of documentedOperations())
      if (status in documented.operation.responses) {
        const json = documented.path.endsWith('/login') ? { json: ADMIN } : { session }
        await answers(status, documented, { ...json, url: server.url })
      }
    await server.stop(1_000)
  }
})

test('every documented response was seen', () => {
  const documented = documentedOperations().flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses)
      .filter(status => status !== 'default')
      .map(status => `${method} ${path} ${status}`),
  )
  assert.deepEqual(
    documented.filter(response => !seen.has(response)),
    [],
  )
})
