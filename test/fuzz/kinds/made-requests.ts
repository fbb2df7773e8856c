import fc from 'fast-check'
import type { OpenApiDocument, OperationObject } from '../../../adapters/http/docs/openapi.ts'
import { isJsonObject } from '../../../core/json.ts'
import { type Documented, operationsOf } from '../../support/http/responses.ts'
import { anyValue, toText, valueFor } from '../values.ts'

/** A generated request. What depends on the service's state is filled in when it is sent. */
export interface FuzzRequest {
  readonly method: string
  /** With the template's parameters still in braces. */
  readonly template: string
  /** What replaces the parameter; `known` picks an existing id, by its position from 0 to 1. */
  readonly parameter: string | { readonly known: number }
  readonly query: string
  readonly cookie: 'own' | 'none' | string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Where members that name a record take an existing one, by its position from 0 to 1. */
  readonly reference: number
}

type Schema = Readonly<Record<string, unknown>>

const pick = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const parameters: fc.Arbitrary<FuzzRequest['parameter']> = pick<FuzzRequest['parameter']>(
  [16, fc.double({ min: 0, max: 0.999, noNaN: true }).map(known => ({ known }))],
  [2, fc.integer({ min: 1, max: 5000 }).map(String)],
  [
    2,
    fc.constantFrom(
      ...['0', '-1', '1.5', '1e3', '01', '9007199254740991', '9007199254740993', '99999999999999999999', 'abc', '%00'],
      ...['%F0%9F%98%80', '%zz', '..', '.', '%2e%2e', '1%2F2', '+1', '%201', '1;x=1', 'start.js', '__proto__', "1'--"],
    ),
  ],
)

const FOREIGN = `trunkline_session=${'A'.repeat(43)}`
const strangers = fc.constantFrom('none', FOREIGN, 'trunkline_session=', 'trunkline_session=%00', 'a=b; =c; ;;', '"')

const headers: fc.Arbitrary<Record<string, string>> = pick<Record<string, string>>(
  [40, fc.constant({})],
  [1, fc.constant({ origin: 'https://elsewhere.example' })],
  [1, fc.constant({ origin: 'null' })],
  [1, fc.constant({ 'sec-fetch-site': 'cross-site' })],
  [1, fc.constant({ 'content-encoding': 'gzip' })],
  [1, fc.constant({ 'content-encoding': 'klingon' })],
  [1, fc.constant({ accept: 'text/html', 'accept-encoding': 'br;q=x' })],
  [1, fc.constant({ 'x-forwarded-for': '1.2.3.4, ::1', 'x-http-method-override': 'DELETE' })],
  [1, fc.constant({ range: 'bytes=0-1', 'if-none-match': '*' })],
)

const mediaTypes = (given: readonly string[]): fc.Arbitrary<string> =>
  pick(
    [40, fc.constantFrom(...given)],
    [1, fc.constant('')],
    [
      2,
      fc.constantFrom(
        ...['application/json; charset=utf-16', 'application/json; charset=klingon', 'application/json;;', 'json', '/'],
        ...['text/plain', 'application/vnd.api+json', 'multipart/form-data', 'application/x-www-form-urlencoded'],
      ),
    ],
  )

const brokenBodies = pick(
  [3, fc.constantFrom('', ' ', '{', '[', 'nul', '"', '{"a":}', '[]', '[{}]', 'null', '7', '""', 'true', '\ufeff{}')],
  [2, fc.constantFrom('{"a":1e999999}', `${'['.repeat(20_000)}`, `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)],
  [2, anyValue.map(toText)],
  [2, fc.string({ unit: 'binary', maxLength: 80 })],
)
const hugeBody = fc.constant(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }))

const jsonBodies = (schema: Schema, gatewayPort: number): fc.Arbitrary<string> => {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const model = Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) =>
      isJsonObject(member) ? [[name, valueFor(name, member, gatewayPort)]] : [],
    ),
  )
  const whole = fc.record(model)
  const partial = fc.record(model, { requiredKeys: [] })
  const extra = fc.record({
    members: whole,
    more: fc.dictionary(fc.string({ maxLength: 9 }), anyValue, { maxKeys: 3 }),
  })
  const ignored = extra.map(({ members, more }) => ({
    ...more,
    id: 5,
    created_at: 'x',
    delivery_status: 'x',
    ...members,
  }))
  const objects = pick<Record<string, unknown>>([12, whole], [2, partial], [1, ignored])
  return pick([600, objects.map(toText)], [50, brokenBodies], [1, hugeBody])
}

const forms = fc.array(
  fc.tuple(
    fc.constantFrom('message_id', 'id', 'messageId', 'status', 'message_status', '__proto__', 'x'),
    fc.oneof(fc.constantFrom('gw-1', 'gw-2', 'gw-3', 'DELIVRD', 'UNDELIV', ''), fc.string({ maxLength: 300 })),
  ),
  { maxLength: 6 },
)

function schemaOf({ requestBody }: OperationObject, { components }: OpenApiDocument): Schema {
  const schema = requestBody?.content['application/json']?.schema ?? {}
  return typeof schema.$ref === 'string'
    ? (components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {})
    : schema
}

function bodies({ operation }: Documented, document: OpenApiDocument, port: number): fc.Arbitrary<string | null> {
  if (!operation.requestBody) return pick([20, fc.constant(null)], [1, brokenBodies])
  const json = jsonBodies(schemaOf(operation, document), port)
  const types = Object.keys(operation.requestBody.content)
  const form = forms.map(pairs => new URLSearchParams(pairs).toString())
  return pick<string | null>([60, types.length > 1 ? fc.oneof(json, form) : json], [2, fc.constant(null)])
}

const queryValues = fc.oneof(
  fc.constantFrom(
    '',
    '1',
    '5',
    '1000',
    '1001',
    '0',
    '-1',
    '1e2',
    'true',
    'false',
    'a',
    '%',
    '_',
    '%25',
    '%zz',
    '%00',
    '*',
  ),
  fc.constantFrom('é'.repeat(255), 'x'.repeat(256), 'ÉCOLE', '"', "'", 'a"b', 'a AND b', '-', '(', ')', 'NEAR(a b)'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => encodeURIComponent(text)),
)

function queries({ operation }: Documented): fc.Arbitrary<string> {
  const names = (operation.parameters ?? []).filter(each => each.in === 'query').map(({ name }) => name)
  const pairs = fc.array(
    fc.tuple(fc.constantFrom(...names, ...names, 'limit', 'search[]', 'search', 'x', '__proto__'), queryValues),
    { maxLength: 3 },
  )
  return pick(
    [3, fc.constant('')],
    [names.length > 0 ? 5 : 1, pairs.map(all => all.map(pair => pair.join('=')).join('&'))],
  )
}

const oddities: fc.Arbitrary<Partial<FuzzRequest>> = pick<Partial<FuzzRequest>>(
  [60, fc.constant({})],
  [
    2,
    fc
      .constantFrom('HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND')
      .map(method => ({ method })),
  ],
  [
    1,
    fc
      .constantFrom(
        '/',
        '/api',
        '/api/',
        '/api/tenants/',
        '//api/tenants',
        '/API/tenants',
        '/api/tenants/1/x',
        '/docs/',
        '/%',
      )
      .map(template => ({ template })),
  ],
)

/** Requests for one operation; a few have another method or path. */
function requestsOf(documented: Documented, document: OpenApiDocument, port: number): fc.Arbitrary<FuzzRequest> {
  const { method, path, operation } = documented
  // The session that all others need must survive.
  const ownsNone =
    (method === 'POST' && operation.tags.includes('Session')) || /^\/api\/console\/(accounts|sessions)\b/.test(path)
  const cookie = ownsNone ? strangers : pick([30, fc.constant('own')], [1, strangers])
  return fc
    .record({
      parameter: parameters,
      query: queries(documented),
      cookie,
      headers,
      type: mediaTypes(Object.keys(operation.requestBody?.content ?? { 'application/json': {} })),
      body: bodies(documented, document, port),
      reference: fc.double({ min: 0, max: 1.1, noNaN: true }),
      odd: oddities,
    })
    .map(({ type, odd, ...request }) => ({
      method,
      template: path,
      ...request,
      ...(ownsNone ? {} : odd),
      headers: { ...request.headers, ...(request.body === null || type === '' ? {} : { 'content-type': type }) },
    }))
}

/** Requests for every operation in the document; logins are few, since too many are refused for a while. */
export function requestsFrom(document: OpenApiDocument, gatewayPort: number): fc.Arbitrary<FuzzRequest> {
  const weightOf = ({ operation, method }: Documented): number => {
    if (operation.operationId === 'login' || operation.tags.includes('Service')) return 1
    return method === 'DELETE' ? 2 : method === 'POST' ? 8 : 4
  }
  return pick(
    ...operationsOf(document).map((documented): [number, fc.Arbitrary<FuzzRequest>] => [
      weightOf(documented),
      requestsOf(documented, document, gatewayPort),
    ]),
  )
}
