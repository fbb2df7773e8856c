import type { TelephoneSwitch } from '../ports/switching.ts'
import type { SwitchExtension, SwitchTenant } from './directory.ts'

/** The settings to enter in a phone. */
export interface PhoneAccount {
  /** The registrar: a host, or host:port. */
  readonly server: string
  readonly domain: string
  /** The user name, also for authentication. */
  readonly user: string
  readonly transport: 'udp'
  readonly port: number
}

const SIP_PORT = 5060
const HOST_AND_PORT = /^(.*?)(?::(\d{1,5}))?$/

/**
 * Returns the phone settings of an extension. FreeSWITCH identifies a tenant by the phone's domain, Asterisk by the
 * user. `server` is the address where phones reach the switch, if it differs from the domain.
 */
export function phoneAccount(
  kind: TelephoneSwitch['kind'],
  { slug, domain }: Pick<SwitchTenant, 'slug' | 'domain'>,
  { number }: Pick<SwitchExtension, 'number'>,
  server: string | null,
): PhoneAccount {
  const [, host = '', port] = HOST_AND_PORT.exec(server ?? domain) ?? []
  const user = kind === 'asterisk' ? `${slug}-${number}` : number
  const place = { server: host, port: Number(port ?? SIP_PORT), transport: 'udp' } as const
  return { ...place, user, domain: kind === 'asterisk' && server !== null ? host : domain }
}

/** Fills in a link's placeholders: `{user}`, `{secret}`, `{domain}`, `{server}`, `{port}`, `{transport}`. */
export const linkOf = (template: string, values: Readonly<Record<string, string | number>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(String(values[name])) : whole,
  )
