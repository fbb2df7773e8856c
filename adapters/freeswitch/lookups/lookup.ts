/** What FreeSWITCH requests. */
export type Lookup =
  | {
      readonly kind: 'user'
      readonly domain: string
      readonly user: string
      /** True if a phone must authenticate as this user; only then does the answer include the secret. */
      readonly isProof: boolean
      /** The address of record to register; null except for a REGISTER. */
      readonly to: { readonly user: string; readonly host: string } | null
      /** Where a REGISTER came from; null for any other request. */
      readonly from: PhonePlace | null
    }
  /** Requested by FreeSWITCH to see whether it is responsible for a domain. */
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'gateways' }
  | DialplanLookup
  /** With the name of one queue; null for all. */
  | { readonly kind: 'queues'; readonly queue: string | null }
  /** Requested by a check, to see that FreeSWITCH reaches us. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'other' }

/** The place that a request came from, as FreeSWITCH saw it. */
export interface PhonePlace {
  readonly address: string
  readonly port: string
  /** Such as `udp`. */
  readonly transport: string
  /** The user in the phone's Contact. */
  readonly user: string
}

export interface DialplanLookup {
  readonly kind: 'dialplan'
  readonly context: string
  readonly dialled: string
  /** The channel's id. */
  readonly id: string
  readonly caller: string
  /** The authenticated user, or the one whose call it has become: `101@acme`; null for a call from outside. */
  readonly phone: string | null
  /** True if the phone placed the call itself: it has authenticated for it, and nothing has sent the call on. */
  readonly isPlaced: boolean
  /** True if the channel has a record to keep: it was connected before, and is now transferred or redirected. */
  readonly isContinued: boolean
  /** True for a leg to a carrier, which continues without its caller: it stays an outgoing call, wherever it goes. */
  readonly isCarriers: boolean
  /** Where it came from: the gateway that FreeSWITCH knows, and the address. */
  readonly gateway: string | null
  readonly address: string
}

/** Other modules request users too, and some take a missing password for an empty one. */
const KNOWN_ACTIONS = ['user_call', 'message-count', 'voicemail-lookup']

/** The section and the configuration that a check requests. */
export const PROBE = 'trunkline.conf'

/** Parses the form that mod_xml_curl posts. */
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
  if (action === '' && field('purpose') === '' && field('user') === '')
    return { kind: 'domain', domain: field('key_value') }
  if (!isProof && !KNOWN_ACTIONS.includes(action)) return { kind: 'other' }
  const isRegistration = isProof && field('sip_auth_method') === 'REGISTER'
  const to = isRegistration ? { user: field('sip_to_user'), host: field('sip_to_host') } : null
  const from = isRegistration ? placeOf(field) : null
  return { kind: 'user', domain: field('domain'), user: field('user'), isProof, to, from }
}

const placeOf = (field: Field): PhonePlace => ({
  ...{ address: field('ip'), port: field('client_port') },
  ...{ transport: field('sip_via_protocol'), user: field('sip_contact_user') },
})

function dialplanLookup(field: Field): DialplanLookup {
  // For a call that continues, Caller-… may hold former values.
  const hunted = (name: string): string => field(`Hunt-${name}`) || field(`Caller-${name}`)
  const [user, account] = [field('variable_user_name'), field('variable_accountcode')]
  // The one who placed a call pays for what becomes of its other end: that one's phone alone can have sent it on.
  const continued = field('variable_trunkline_placer') || field('variable_trunkline_phone')
  const isProven = user !== '' && account !== ''
  const isCarriers = field('variable_trunkline_dialled') !== ''
  const isContinued = field('variable_trunkline_call') !== '' || isCarriers
  return {
    kind: 'dialplan',
    context: hunted('Context'),
    dialled: hunted('Destination-Number'),
    id: field('Unique-ID'),
    caller: hunted('Caller-ID-Number'),
    phone: isProven ? `${user}@${account}` : continued || null,
    isPlaced: isProven && !isContinued,
    isContinued,
    isCarriers,
    gateway: field('variable_sip_gateway') || null,
    address: field('variable_sip_network_ip') || hunted('Network-Addr'),
  }
}
