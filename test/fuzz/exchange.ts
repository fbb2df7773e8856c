import { type Agent, request as send } from 'node:http'
import type { Received } from '../support/http/responses.ts'
import type { FuzzRequest } from './kinds/made-requests.ts'

/** A request as it is sent. */
export interface Exchange extends Pick<FuzzRequest, 'method' | 'headers' | 'body'> {
  readonly path: string
}

/** An answer, or why there is none. */
export type Outcome = Received | { readonly failure: string }

export function exchange(url: string, agent: Agent, { method, path, headers, body }: Exchange): Promise<Outcome> {
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
export function knownIds() {
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

export type KnownIds = ReturnType<typeof knownIds>

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

/** Fills in what depends on the service's state. */
export function exchangeOf(request: FuzzRequest, known: KnownIds, session: string): Exchange {
  const { method, template, parameter, query, cookie, body, reference } = request
  const collection = template.slice(0, template.indexOf('/{')).replace('/webhooks/gateway', '/api/sms-gateways')
  const inPath = typeof parameter === 'string' ? parameter : String(known.at(collection, parameter.known) ?? 1)
  const target = template.replace(/\{\w+\}/, () => inPath) + (query === '' ? '' : `?${query}`)
  const path = target.replace(/[^!-~]/gu, encodeURIComponent)
  const cookies = cookie === 'none' ? {} : { cookie: cookie === 'own' ? session : cookie }
  const headers = { accept: 'application/json', ...cookies, ...request.headers }
  return { method, path, headers, body: withReferences(body, reference, known) }
}
