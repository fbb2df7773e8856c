/** What FreeSWITCH asks. */
export type Lookup =
  | {
      readonly kind: 'user'
      readonly domain: string
      readonly user: string
      /** True where a telephone is to prove that it is this user; only then the secret is answered. */
      readonly isProof: boolean
      /** Whom a telephone wants to be called as; null but for a REGISTER. */
      readonly to: { readonly user: string; readonly host: string } | null
    }
  | { readonly kind: 'gateways' }
  | DialplanLookup
  /** With the name of one queue; null for all. */
  | { readonly kind: 'queues'; readonly queue: string | null }
  /** Asked by a check, to see that FreeSWITCH reaches us. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'other' }

export interface DialplanLookup {
  readonly kind: 'dialplan'
  readonly context: string
  readonly dialled: string
  /** The channel's. */
  readonly id: string
  readonly caller: string
  /** The user who has proven who he is, or whose call it has become: `101@acme`; null for a call from outside. */
  readonly phone: string | null
  /** True where the channel has a record to keep: it was put through before, and is transferred or redirected now. */
  readonly isContinued: boolean
  /** Where it came from: the gateway that FreeSWITCH knows, and the address. */
  readonly gateway: string | null
  readonly address: string
}

/** Users are asked for by other modules too, some of which take a missing password for none. */
const KNOWN_ACTIONS = ['user_call', 'message-count', 'voicemail-lookup']

/** The section and the configuration that a check asks for. */
export const PROBE = 'trunkline.conf'

/** Reads the form that mod_xml_curl posts. */
export function readLookup(form: URLSearchParams): Lookup {
  const field = (name: string): string => form.get(name) ?? ''
  switch (field('section')) {
    case 'directory':
      return directoryLookup(field)
    case 'dialplan':
      return dialplanLookup(field)
    case 'configuration':
      if (field('key_value') === 'callcenter.conf') return { kind: 'queues', queue: form.get('CC-Queue') }
      return { kind: field('key_value') === PROBE ? 'probe' : 'other' }
    default:
      return { kind: 'other' }
  }
}

type Field = (name: string) => string

function directoryLookup(field: Field): Lookup {
  if (field('purpose') === 'gateways') return { kind: 'gateways' }
  const action = field('action')
  const isProof = action === 'sip_auth'
  if (!isProof && !KNOWN_ACTIONS.includes(action)) return { kind: 'other' }
  const isRegistration = isProof && field('sip_auth_method') === 'REGISTER'
  const to = isRegistration ? { user: field('sip_to_user'), host: field('sip_to_host') } : null
  return { kind: 'user', domain: field('domain'), user: field('user'), isProof, to }
}

function dialplanLookup(field: Field): DialplanLookup {
  // Of a call that goes on, Caller-… may be what it was before.
  const hunted = (name: string): string => field(`Hunt-${name}`) || field(`Caller-${name}`)
  const [user, account] = [field('variable_user_name'), field('variable_accountcode')]
  const continued = field('variable_trunkline_phone')
  return {
    kind: 'dialplan',
    context: hunted('Context'),
    dialled: hunted('Destination-Number'),
    id: field('Unique-ID'),
    caller: hunted('Caller-ID-Number'),
    phone: user && account ? `${user}@${account}` : continued || null,
    isContinued: field('variable_trunkline_call') !== '' || field('variable_trunkline_dialled') !== '',
    gateway: field('variable_sip_gateway') || null,
    address: field('variable_sip_network_ip') || hunted('Network-Addr'),
  }
}
