import { Agent, request as send } from 'node:http'
import fc from 'fast-check'
import { type Received, type ResponseChecker, responseChecker } from '../../support/http/responses.ts'
import type { Kind } from '../kind.ts'
import { staysHere } from '../values.ts'
import { daemonOf, type World } from '../world.ts'
import { type FuzzRequest, requestsFrom } from './made-requests.ts'

const AT_ONCE = 4
/** One mistake appears in many requests. */
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

/** The existing ids, by the collection's path. */
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

/** "sms_gateway_id" refers to /api/sms-gateways. */
const collectionOf = (member: string): string => `/api/${member.replace(/_id$/, 's').replaceAll('_', '-')}`

/** The request's body with its references pointing to existing records, if it has such a body. */
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

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text)

function report(sent: Exchange, outcome: Outcome, problem: string): string {
  const { method, path, headers, body } = sent
  const answer = 'failure' in outcome ? outcome.failure : `${outcome.status} ${shortened(outcome.text, 400)}`
  return `${problem}\n  ${method} ${path} ${JSON.stringify(headers)}\n  ${shortened(body ?? '', 600)}\n  → ${answer}`
}

/** What is wrong with an outcome; null if nothing is. */
function problemOf(sent: Exchange, outcome: Outcome, checker: ResponseChecker): string | null {
  // A body over the limit is answered before it is read, so sending it may fail.
  if ('failure' in outcome) return (sent.body?.length ?? 0) > 1024 * 1024 ? null : 'no answer came'
  return outcome.status >= 500 ? 'the service failed' : checker.problem(outcome)
}

export interface Requests extends Kind {
  /** How many answers there were of each status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Requests generated from the document, valid and broken; each answer is checked against it. */
export function requests(world: World): Requests {
  const { daemon, gateway, document, session } = world
  const checker = responseChecker(document)
  const made = requestsFrom(document, gateway.port)
  const known = knownIds()
  const statuses: Record<string, number> = {}

  const one = async (request: FuzzRequest, agent: Agent): Promise<string | null> => {
    const sent = exchangeOf(request, known, session)
    if (sent.body !== null && !staysHere(sent.body)) return null
    const outcome = await exchange(daemon.url, agent, sent)
    const status = 'failure' in outcome ? 'cut' : String(outcome.status)
    statuses[status] = (statuses[status] ?? 0) + 1
    const problem = problemOf(sent, outcome, checker)
    if (problem) return report(sent, outcome, problem)
    if (!('failure' in outcome)) known.learn(outcome)
    return null
  }
  return {
    name: 'requests',
    count: 600,
    // A record, its audit entry, and a change not yet indexed.
    rowsPerInput: 4,
    subject: daemonOf(world),
    statuses,
    play: async (seed, count) => {
      const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
      const batch = fc.sample(made, { seed, numRuns: count }).values()
      const problems: string[] = []
      const worker = async (): Promise<void> => {
        for (const request of batch) {
          if (!daemon.isAlive() || problems.length > MANY) return
          const problem = await one(request, agent)
          if (problem) problems.push(problem)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      agent.destroy()
      return problems
    },
  }
}
