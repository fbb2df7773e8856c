import { createHmac } from 'node:crypto'
import type { SwitchExtension, SwitchQueue, SwitchTenant, Trunk } from '../../core/switching/directory.ts'

/** How things are called on FreeSWITCH. Slugs and numbers have no `@`, so nothing of one tenant is called as another's. */
export const PUBLIC = 'public'

export const contextOf = ({ slug }: Pick<SwitchTenant, 'slug'>): string => `t-${slug}`

/** The slug of the tenant whose context it is; null for another context. */
export const slugIn = (context: string): string | null => (context.startsWith('t-') ? context.slice(2) : null)

export const queueName = ({ slug }: SwitchTenant, { number }: Pick<SwitchQueue, 'number'>): string =>
  `${number}@${slug}`
export const phoneName = ({ slug }: Pick<SwitchTenant, 'slug'>, { number }: Pick<SwitchExtension, 'number'>): string =>
  `${number}@${slug}`

/** The two parts of such a name; null where it has no two. */
export function partsOf(name: string): { readonly number: string; readonly slug: string } | null {
  const at = name.indexOf('@')
  return at < 1 ? null : { number: name.slice(0, at), slug: name.slice(at + 1) }
}

const MARKED = /^(.+)-[0-9a-f]{8}$/

/**
 * The gateway of a trunk: its name, and a mark that changes with anything that the gateway is made of. FreeSWITCH never
 * changes a gateway that it has, so a changed trunk is another gateway. `key` keeps the mark from telling a secret.
 */
export function gatewayOf(trunk: Trunk, key: string): string {
  const { name, host, port, transport, username, secret, registers } = trunk
  const made = JSON.stringify([host, port, transport, username, secret, registers])
  return `${name}-${createHmac('sha256', key).update(made).digest('hex').slice(0, 8)}`
}

/** The trunk of a gateway's name; null for a gateway that is not ours. */
export const trunkOf = (gateway: string): string | null => MARKED.exec(gateway)?.[1] ?? null
