import type { ConsoleFiles } from '../../../adapters/http/console/page-routes.ts'
import type { Settings } from '../../../config/settings.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { type Answer, startService, type TestService } from '../http/app.ts'
import { sampleBody } from './samples.ts'

type Body = Readonly<Record<string, unknown>>

/** A service with a logged-in account, a tenant and an extension to refer to. */
export interface World {
  readonly service: TestService
  readonly session: string
  readonly references: Readonly<Record<'tenant_id' | 'extension_id', number>>
  get(path: string): Promise<Answer>
  /** A request with a JSON body. */
  send(method: string, path: string, json?: unknown): Promise<Answer>
  /** A valid body for the resource, each different. */
  body(resource: string | Resource, members?: Body): Record<string, unknown>
  /** Creates a record over HTTP and returns the answer. */
  create(resource: string | Resource, members?: Body): Promise<Record<string, unknown> & { readonly id: number }>
  close(): Promise<void>
}

export async function startWorld(
  settings?: Partial<Settings>,
  replacements?: Parameters<typeof startService>[1],
  console?: ConsoleFiles,
): Promise<World> {
  const service = await startService(settings, replacements, undefined, console)
  const session = await service.login()
  const named = (resource: string | Resource) => (typeof resource === 'string' ? resourceNamed(resource) : resource)
  const references = { tenant_id: 0, extension_id: 0 }
  const world: World = {
    service,
    session,
    references,
    get: path => service.request('GET', path, { session }),
    send: (method, path, json) => service.request(method, path, { json, session }),
    body: (resource, members) => ({ ...sampleBody(named(resource), references), ...members }),
    create: async (resource, members) => {
      const answer = await world.send('POST', `/api/${named(resource).path}`, world.body(resource, members))
      if (answer.status !== 201) throw new Error(`${named(resource).label} was not created: ${answer.text}`)
      return answer.json.data
    },
    close: () => service.close(),
  }
  references.tenant_id = (await world.create('tenants', { max_extensions: 1_000_000 })).id
  references.extension_id = (await world.create('extensions')).id
  return world
}
