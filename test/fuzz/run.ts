import { Agent, request as send } from 'node:http'
import fc from 'fast-check'
import type { OpenApiDocument } from '../../adapters/http/openapi.ts'
import { isJsonObject } from '../../core/json.ts'
import { ADMIN, temporaryFolder } from '../support/app.ts'
import { type FakeGateway, json, startGateway } from '../support/gateway.ts'
import { type Received, type ResponseChecker, responseChecker } from '../support/responses.ts'
import { type FuzzedDaemon, startFuzzedDaemon } from './daemon.ts'
import { type FuzzRequest, requestsFrom } from './requests.ts'
import { staysHere } from './values.ts'

export interface FuzzOptions {
  readonly count: number
  readonly seed: number
  /** The run ends here, however many requests are left. */
  readonly maxSeconds: number
  readonly print: (line: string) => void
}

export interface FuzzResult {
  readonly sent: number
  /** What was wrong, with the request that showed it. */
  readonly problems: readonly string[]
  readonly statuses: Readonly<Record<string, number>>
  /** The resident set in MiB, after each of a twentieth of the requests. */
  readonly resident: readonly number[]
}

const AT_ONCE = 4
const CHUNK = 500
const MANY = 20

interface Exchange extends Pick<FuzzRequest, 'method' | 'headers' | 'body'> {
  readonly path: string
}

type Outcome = Received | { readonly failure: string }

function exchange(url: string, agent: Agent, { method, path, headers, body }: Exchange): Promise<Outcome> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const failed = (error: Error): void => resolve({ failure: error.message })
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = send(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      async incoming => {
        try {
          const pieces: Buffer[] = []
          for await (const piece of incoming) pieces.push(Buffer.from(piece))
          const contentType = incoming.headers['content-type'] ?? ''
          const text = Buffer.concat(pieces).toString('utf8')
          resolve({ method, path, status: incoming.statusCode ?? 0, contentType, text })
        } catch (error) {
          failed(error instanceof Error ? error : new Error(String(error)))
        }
      },
    )
    outgoing.once('error', failed)
    outgoing.end(body ?? undefined)
  })
}

/** The ids that exist, by the collection's path. */
function knownIds() {
  const known = new Map<string, number[]>()
  const of = (collection: string): number[] => {
    const ids = known.get(collection) ?? []
    known.set(collection, ids)
    return ids
  }
  return {
    at: (collection: string, place: number): number | undefined => {
      const ids = of(collection)
      return ids[Math.floor(place * ids.length)]
    },
    learn: ({ method, path, status, text }: Received): void => {
      const [collection = '', id] = /^(\/api\/[\w-]+)(?:\/(\d+))?(?:\?|$)/.exec(path)?.slice(1) ?? []
      if (method === 'POST' && status === 201) of(collection).push(JSON.parse(text).data.id)
      if (method !== 'DELETE' || status !== 200) return
      const ids = of(collection)
      if (ids.includes(Number(id))) ids.splice(ids.indexOf(Number(id)), 1)
    },
  }
}

type KnownIds = ReturnType<typeof knownIds>

/** "sms_gateway_id" is of /api/sms-gateways. */
const collectionOf = (member: string): string => `/api/${member.replace(/_id$/, 's').replaceAll('_', '-')}`

/** The request's body with its references put on records that exist, where it has a body of that kind. */
function withReferences(body: string | null, reference: number, known: KnownIds): string | null {
  return (
    body?.replace(/"(tenant_id|extension_id)":(?:\d+|"\d+")/g, (given, member: string) => {
      const id = known.at(collectionOf(member), reference)
      return id === undefined ? given : `"${member}":${id}`
    }) ?? null
  )
}

function exchangeOf(request: FuzzRequest, known: KnownIds, session: string): Exchange {
  const { method, template, parameter, query, cookie, body, reference } = request
  const collection = template.slice(0, template.indexOf('/{')).replace('/webhooks/gateway', '/api/sms-gateways')
  const inPath = typeof parameter === 'string' ? parameter : String(known.at(collection, parameter.known) ?? 1)
  const target = template.replace(/\{\w+\}/, () => inPath) + (query === '' ? '' : `?${query}`)
  const path = target.replace(/[^!-~]/gu, encodeURIComponent)
  const cookies = cookie === 'none' ? {} : { cookie: cookie === 'own' ? session : cookie }
  const headers = { accept: 'application/json', ...cookies, ...request.headers }
  return { method, path, headers, body: withReferences(body, reference, known) }
}

/** Answers as gateways do, well and badly, by turns. */
function vary(gateway: FakeGateway): void {
  let turn = 0
  gateway.answer(response => {
    turn += 1
    gateway.requests.length = 0
    const plain = (status: number, text: string) => void response.writeHead(status).end(text)
    const replies = [
      () => json(response, 200, { message_id: `gw-${turn}` }),
      () => json(response, 200, { id: 12345678901234 }),
      () => plain(200, 'Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d"'),
      () => plain(200, '{"message_id":123456789012345678901234567890}'),
      () => plain(503, 'down'),
      () => plain(400, `${'['.repeat(100)}`),
      () => void response.destroy(),
    ]
    replies[turn % replies.length]?.()
  })
}

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text)

function report(sent: Exchange, outcome: Outcome, problem: string): string {
  const { method, path, headers, body } = sent
  const answer = 'failure' in outcome ? outcome.failure : `${outcome.status} ${shortened(outcome.text, 400)}`
  return `${problem}\n  ${method} ${path} ${JSON.stringify(headers)}\n  ${shortened(body ?? '', 600)}\n  → ${answer}`
}

/** What is wrong with an outcome; null when nothing is. */
function problemOf(sent: Exchange, outcome: Outcome, checker: ResponseChecker): string | null {
  // A body over the limit is answered before it is read, so that sending it may break off.
  if ('failure' in outcome) return (sent.body?.length ?? 0) > 1024 * 1024 ? null : 'no answer came'
  return outcome.status >= 500 ? 'the service failed' : checker.problem(outcome)
}

async function login(url: string): Promise<string> {
  const response = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
}

async function documentOf(url: string): Promise<OpenApiDocument> {
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
  const isDocument = (value: unknown): value is OpenApiDocument =>
    isJsonObject(value) && value.openapi === '3.1.0' && isJsonObject(value.paths) && isJsonObject(value.components)
  if (!isDocument(document)) throw new Error('The service does not describe itself.')
  return document
}

async function drive(daemon: FuzzedDaemon, gateway: FakeGateway, options: FuzzOptions): Promise<FuzzResult> {
  const { count, seed, maxSeconds, print } = options
  const document = await documentOf(daemon.url)
  const checker = responseChecker(document)
  const session = await login(daemon.url)
  const requests = requestsFrom(document, gateway.port)
  const known = knownIds()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const problems: string[] = []
  const statuses: Record<string, number> = {}
  const resident: number[] = []
  const deadline = performance.now() + maxSeconds * 1000
  let sent = 0

  const one = async (request: FuzzRequest): Promise<void> => {
    const made = exchangeOf(request, known, session)
    if (made.body !== null && !staysHere(made.body)) return
    const outcome = await exchange(daemon.url, agent, made)
    sent += 1
    const status = 'failure' in outcome ? 'cut' : String(outcome.status)
    statuses[status] = (statuses[status] ?? 0) + 1
    const problem = problemOf(made, outcome, checker)
    if (problem) problems.push(report(made, outcome, problem))
    else if (!('failure' in outcome)) known.learn(outcome)
    if (sent % Math.ceil(count / MANY) === 0) resident.push(daemon.residentMiB() ?? 0)
  }
  for (let chunk = 0; sent < count && problems.length < MANY && performance.now() < deadline; chunk++) {
    const batch = fc.sample(requests, { seed: seed + chunk, numRuns: Math.min(CHUNK, count - sent) }).values()
    const worker = async (): Promise<void> => {
      for (const request of batch) if (daemon.isAlive()) await one(request)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    print(`${sent} requests, resident set ${daemon.residentMiB()?.toFixed(0) ?? '?'} MiB`)
    if (!daemon.isAlive()) problems.push('the daemon died')
  }
  agent.destroy()
  return { sent, problems: [...problems, ...daemon.errors], statuses, resident }
}

/** Sends requests that were made up from the document, and checks every answer against it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const folder = temporaryFolder()
  const gateway = await startGateway()
  vary(gateway)
  const daemon = await startFuzzedDaemon(folder.path)
  try {
    return await drive(daemon, gateway, options)
  } finally {
    await daemon.stop()
    await gateway.close()
    folder.remove()
  }
}
