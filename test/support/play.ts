import { BUILT_IN } from '../../core/sms/profiles/all.ts'
import { startWorld, type World } from './data/records.ts'
import type { Answer } from './http/app.ts'
import { addGateway, type FakeGateway, MESSAGE, type Submitted, startGateway } from './messaging/gateway.ts'
import type { Call, Known, Provider } from './messaging/providers/provider.ts'

/** A service, and a server that imitates any provider. */
export interface Stage {
  readonly world: World
  readonly server: FakeGateway
  close(): Promise<void>
}

export async function stage(): Promise<Stage> {
  const world = await startWorld({ gateway_timeout: 0.5 })
  const server = await startGateway()
  return {
    world,
    server,
    close: async () => {
      await world.close()
      await server.close()
    },
  }
}

let ids = 0

/** One gateway of a provider, and what the provider knows of the messages it received. */
export async function play({ world, server }: Stage, provider: Provider, meta: object = {}) {
  const own = typeof provider.gateway.meta === 'object' ? provider.gateway.meta : {}
  const gateway = await addGateway(world.service, world.session, server, {
    ...provider.gateway,
    meta: { profile: provider.profile, ...own, ...meta },
  })
  const { data } = (await world.get(`/api/sms-gateways/${gateway}`)).json
  const fixed = `${world.service.url}/api/sms-gateways/${gateway}/dlr`
  const isByUrl = BUILT_IN.find(({ name }) => name === provider.profile)?.sender.some(({ kind }) => kind === 'url')
  /** What it knows of a message, once it has read the request. */
  const know = (submitted: Submitted, id = `id-${++ids}`): Known & { text: string } => {
    const { text, url, reference } = provider.read(submitted)
    const ours = url === null ? null : new URL(url).searchParams.get('ref')
    const account = isByUrl ? `${fixed}?token=${encodeURIComponent(data.callback_token)}` : fixed
    return { id, reference: reference ?? ours ?? '', url: url ?? account, text }
  }
  const accept = (known: Known): [number, string] => [
    provider.status ?? 200,
    provider.accepts(known.id, known.reference),
  ]
  return {
    gateway,
    know,
    /** Sends a message; the provider accepts it, after `meanwhile` has run. */
    send: async (meanwhile: (known: Known) => Promise<unknown> = async () => {}, message = MESSAGE.message) => {
      const seen: (Known & { text: string })[] = []
      server.answer(async (response, submitted) => {
        const known = know(submitted)
        seen.push(known)
        await meanwhile(known)
        const [status, body] = accept(known)
        response.writeHead(status).end(body)
      })
      const answer = await world.send('POST', `/api/sms-gateways/${gateway}/send`, { ...MESSAGE, message })
      return { sent: answer.json.data, answer, known: seen[0] ?? never() }
    },
    stored: async () => (await world.get(`/api/sms-gateways/${gateway}/messages`)).json.data[0],
    receive: (known: Known, word: string) => call(world, provider.receipt(known, word)),
  }
}

export const call = (world: World, { method, url, headers, body }: Call): Promise<Answer> => {
  const { pathname, search } = new URL(url)
  return world.service.request(method, pathname + search, { headers: { ...headers }, ...(body ? { body } : {}) })
}

function never(): never {
  throw new Error('Nothing was sent.')
}
