import { createHash, randomBytes } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import type { SwitchExtension, SwitchTenant, Trunk } from '../../../core/switching/directory.ts'
import { ASKED } from '../guards.ts'
import { contextOf, gatewayOf, phoneName } from '../names.ts'
import type { PhonePlace } from './lookup.ts'
import { documentOf, element, params } from './xml.ts'

/** Seconds after which a phone must register again. */
const EXPIRES = '300'

/** Characters that end a displayed name: quotes and brackets in the SIP header, the others in FreeSWITCH. */
const UNSHOWN = /["'\\<>${}[\],;|^]|\p{Cc}/gu

const shown = ({ displayName, number }: SwitchExtension): string =>
  displayName.replace(UNSHOWN, ' ').trim().slice(0, 60) || number

const CONTACT_USER = /^[A-Za-z0-9_.~*#+-]{1,64}$/
const PORT = /^\d{1,5}$/

/**
 * Returns the contact to keep for a phone: where its REGISTER came from. With one of the phone's choice, in Contact or
 * Path, FreeSWITCH would call a carrier for it, without a trunk. FreeSWITCH keeps no brackets in a contact, but decodes
 * the path to it.
 */
function contactOf(
  { domain }: SwitchTenant,
  { number }: SwitchExtension,
  { address, port, transport, user }: PhonePlace,
): string | null {
  const called = CONTACT_USER.test(user) ? user : number
  const over = transport === 'tcp' || transport === 'tls' ? `;transport=${transport}` : ''
  if (isIP(address) === 0 || !PORT.test(port)) return null
  if (isIPv4(address)) return `<sip:${called}@${address}:${port}${over}>`
  const path = encodeURIComponent(`sip:${called}@[${address}]:${port}${over}`)
  return `<sip:${called}@${domain}${over};fs_path=${path}>`
}

/** What a user is requested for. */
export interface UserUse {
  readonly hasSecret: boolean
  /** Where the phone registers from; null if it does not register. */
  readonly from: PhonePlace | null
}

/**
 * Returns what proves a secret. FreeSWITCH reads some texts, such as `<!--#exec "touch x"-->`, as its own directives
 * even where it has decoded them, loses the user's parameters, and then lets anybody in: no secret is sent to it.
 */
const proofOf = ({ domain }: SwitchTenant, { number, secret }: SwitchExtension): string =>
  createHash('md5').update(`${number}:${domain}:${secret}`).digest('hex')

/**
 * Returns the user of a phone. Without the secret's hash nobody can authenticate as it: it is absent only where nothing
 * is authenticated.
 */
export function userDocument(tenant: SwitchTenant, extension: SwitchExtension, { hasSecret, from }: UserUse): string {
  const { number, hasVoicemail } = extension
  const { domain, slug } = tenant
  const phone = phoneName(tenant, extension)
  const context = contextOf(tenant)
  const contact = from && contactOf(tenant, extension, from)
  const dialled =
    `sip_invite_domain=${domain}:presence_id=${number}@${domain}:trunkline_phone=${phone}:accountcode=${slug}` +
    `:sip_redirect_context=${context}:${ASKED}`
  const user = element('user', { id: number }, [
    element(
      'params',
      {},
      params({
        ...(hasSecret ? { 'a1-hash': proofOf(tenant, extension) } : {}),
        'allow-empty-password': 'false',
        'vm-enabled': String(hasVoicemail),
        // Without one, any PIN opens the mailbox to a caller who presses 0 during its greeting.
        'vm-password': randomBytes(18).toString('base64url'),
        'dial-string': `{^^:${dialled}}$\{sofia_contact(*/${number}@${domain})}`,
      }),
    ),
    element(
      'variables',
      {},
      params(
        {
          user_context: context,
          accountcode: slug,
          trunkline_phone: phone,
          effective_caller_id_name: shown(extension),
          effective_caller_id_number: number,
          'sip-force-expires': EXPIRES,
          ...(contact === null ? {} : { 'sip-force-contact': contact }),
          // A request with Replaces finds a call by its Call-ID alone, also one of another tenant.
          intercept_unbridged_only: 'true',
          // Spares a lookup and a NOTIFY at each registration.
          ...(hasVoicemail ? {} : { 'send-message-query-on-register': 'false' }),
        },
        'variable',
      ),
    ),
  ])
  return documentOf('directory', [element('domain', { name: domain }, [user])])
}

/**
 * Returns a domain without users. FreeSWITCH asks so about the host that a phone redirects a call to: one that is not
 * its own it would call by itself, without a trunk.
 */
export const domainDocument = (domain: string): string => documentOf('directory', [element('domain', { name: domain })])

/** Returns the trunks' gateways, which a profile requests when it starts and at each rescan. */
export function gatewaysDocument(trunks: readonly Trunk[], key: string): string {
  const gateways = trunks.map(trunk => {
    const { host, port, transport, username, secret, registers } = trunk
    const bracketed = host.includes(':') ? `[${host}]` : host
    return element(
      'gateway',
      { name: gatewayOf(trunk, key) },
      params({
        proxy: `${bracketed}:${port}${transport === 'udp' ? '' : `;transport=${transport}`}`,
        ...(transport === 'udp' ? {} : { 'register-transport': transport }),
        realm: host,
        ...(username === null ? {} : { username }),
        ...(secret === null ? {} : { password: secret }),
        register: String(registers),
        ...(registers ? { extension: 'auto_to_user', 'retry-seconds': '30' } : {}),
        'caller-id-in-from': 'true',
      }),
    )
  })
  const user = element('user', { id: 'carriers' }, [element('gateways', {}, gateways)])
  return documentOf('directory', [element('domain', { name: 'carriers' }, [user])])
}
