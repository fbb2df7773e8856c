import { createHmac } from 'node:crypto'
import type { SwitchExtension, SwitchQueue, SwitchTenant, Trunk } from '../../core/switching/directory.ts'

/** Names on FreeSWITCH. Slugs and numbers have no `@`, so no two tenants' names collide. */
export const PUBLIC = 'public'

export const contextOf = ({ slug }: Pick<SwitchTenant, 'slug'>): string => `t-${slug}`

/** Returns the slug of the tenant with this context; null for other contexts. */
export const slugIn = (context: string): string | null => (context.startsWith('t-') ? context.slice(2) : null)

export const queueName = ({ slug }: SwitchTenant, { number }: Pick<SwitchQueue, 'number'>): string =>
  `${number}@${slug}`
export const phoneName = ({ slug }: Pick<SwitchTenant, 'slug'>, { number }: Pick<SwitchExtension, 'number'>): string =>
  `${number}@${slug}`

/** Returns the two parts of such a name; null if it does not have two. */
export function partsOf(name: string): { readonly number: string; readonly slug: string } | null {
  const at = name.indexOf('@')
  return at < 1 ? null : { number: name.slice(0, at), slug: name.slice(at + 1) }
}

const MARKED = /^(.+)-[0-9a-f]{8}$/

/**
 * Returns the gateway of a trunk: its name, with a mark that changes with any setting of the gateway. FreeSWITCH never
 * updates an existing gateway, so a changed trunk becomes another gateway. `key` keeps the mark from revealing a
 * secret.
 */
export function gatewayOf(trunk: Trunk, key: string): string {
  const { name, host, port, transport, username, secret, registers } = trunk
  const made = JSON.stringify([host, port, transport, username, secret, registers])
  return `${name}-${createHmac('sha256', key).update(made).digest('hex').slice(0, 8)}`
}

/** Returns the trunk in a gateway's name; null if the gateway is not ours. */
export const trunkOf = (gateway: string): string | null => MARKED.exec(gateway)?.[1] ?? null
