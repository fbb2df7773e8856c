import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { DOMParser, type Document, type Element } from '@xmldom/xmldom'
import { type LookupParts, lookupAnswers } from '../../../adapters/freeswitch/lookups/answers.ts'
import { liveCalls } from '../../../adapters/freeswitch/lookups/live-calls.ts'
import { trunkAddresses } from '../../../adapters/freeswitch/lookups/trunk-addresses.ts'
import type { CallFacts, SwitchDirectory } from '../../../core/ports/switching.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { manualClock } from '../clock.ts'

/** The switch's own variables, in the model of its preprocessor. */
const GLOBALS: Readonly<Record<string, string>> = { domain: 'global.test', api_on_startup: '' }

/** The text as FreeSWITCH's XML parser receives it: its preprocessor handles each line before. */
export function preprocessed(text: string): string {
  return text
    .split('\n')
    .map(line => line.replaceAll(/\$\$\{([^}]*)\}/g, (_, name: string) => GLOBALS[name] ?? ''))
    .filter(line => !/<include>|<\/include>|<\?|X-pre-process|<!--#/i.test(line))
    .join('\n')
}

/** The elements with that name in an answer, as FreeSWITCH reads it. */
export function elementsIn(answer: string, name: string): Element[] {
  return [...documentIn(answer).getElementsByTagName(name)]
}

export function documentIn(answer: string): Document {
  const onError = (level: string, message: string): void => assert.fail(`${level}: ${message}\n${answer}`)
  return new DOMParser({ onError }).parseFromString(preprocessed(answer), 'text/xml')
}

/** Names and values of the `param` or `variable` elements. */
export const valuesIn = (answer: string, name = 'param'): Record<string, string> =>
  Object.fromEntries(
    elementsIn(answer, name).map(each => [each.getAttribute('name') ?? '', each.getAttribute('value') ?? '']),
  )

/** Each application with its data: `bridge user/102@acme.example.com`. */
export const actionsIn = (answer: string): string[] =>
  elementsIn(answer, 'action').map(each =>
    `${each.getAttribute('application')} ${each.getAttribute('data') ?? ''}`.trim(),
  )

/** What an answer has of a secret. */
export const proofOf = (user: string, domain: string, secret: string): string =>
  createHash('md5').update(`${user}:${domain}:${secret}`).digest('hex')

export const isNotFound = (answer: string): boolean =>
  elementsIn(answer, 'result').some(each => each.getAttribute('status') === 'not found')

/** A directory of these tenants; their limits are unused unless `facts` says so. */
export function directoryOf(
  tenants: () => readonly TenantDirectory[],
  facts: Partial<CallFacts> = {},
): SwitchDirectory {
  const factsOf = (directory: TenantDirectory | undefined): CallFacts | null =>
    directory ? { directory, rate: null, used: { tenant: NOTHING_USED, extension: NOTHING_USED }, ...facts } : null
  return {
    registrant: async domain => tenants().find(({ tenant }) => tenant.domain === domain) ?? null,
    forCall: async slug => factsOf(tenants().find(({ tenant }) => tenant.slug === slug)),
    forDid: async number =>
      factsOf(
        tenants().find(({ dids, dialling }) =>
          [number, `+${number}`].some(each => dids.has(dialling.read(each).digits)),
        ),
      ),
    whole: async slug => tenants().find(({ tenant }) => tenant.slug === slug) ?? null,
    all: async function* () {
      yield* tenants()
    },
  }
}

export const KEY = 'the key of the tests'

export interface Lookups {
  readonly parts: LookupParts
  /** Refusals by request. */
  readonly refusals: string[]
  ask(form: Readonly<Record<string, string>>): Promise<string>
}

/** Answers lookups about these tenants; carriers' names resolve to `hosts`. */
export function lookupsOf(
  tenants: readonly TenantDirectory[],
  { hosts = {}, ...given }: Partial<CallFacts> & { readonly hosts?: Readonly<Record<string, readonly string[]>> } = {},
): Lookups {
  const refusals: string[] = []
  const parts: LookupParts = {
    directory: directoryOf(() => tenants, given),
    live: liveCalls(() => 0),
    addresses: trunkAddresses(async host => hosts[host] ?? assert.fail(`no ${host}`)),
    clock: manualClock(),
    key: KEY,
    onDecision: ({ what, refusal }) => {
      if (refusal) refusals.push(`${what}: ${refusal.refusal}`)
    },
  }
  const answer = lookupAnswers(parts)
  return { parts, refusals, ask: form => answer(new URLSearchParams(form)) }
}

const REQUEST = {
  hostname: 'lab1',
  'Event-Name': 'REQUEST_PARAMS',
  'Core-UUID': '2f0c53c2-7f6c-4f3a-9a47-0f7a1a3cbb61',
  'FreeSWITCH-Switchname': 'lab1',
}

/** What FreeSWITCH posts when a telephone registers, shortened to the fields that differ. */
export const registerForm = (given: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...REQUEST,
  ...{ section: 'directory', tag_name: 'domain', key_name: 'name', key_value: 'acme.example.com' },
  ...{ action: 'sip_auth', sip_auth_method: 'REGISTER', sip_profile: 'internal', key: 'id' },
  ...{ user: '101', domain: 'acme.example.com', sip_auth_username: '101', sip_auth_realm: 'acme.example.com' },
  ...{ ip: '192.0.2.11', client_port: '5062', sip_via_protocol: 'udp', sip_contact_user: '101' },
  ...{ sip_to_user: '101', sip_to_host: 'acme.example.com', sip_from_user: '101', sip_from_host: 'acme.example.com' },
  ...given,
})

/** What it posts when a telephone places a call. */
export const inviteForm = (given: Readonly<Record<string, string>> = {}): Record<string, string> =>
  registerForm({ sip_auth_method: 'INVITE', sip_to_user: '102', ...given })

/** What it posts to route a telephone's call. */
export const callForm = (given: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...REQUEST,
  ...{ section: 'dialplan', tag_name: '', key_name: '', key_value: '', 'Call-Direction': 'inbound' },
  ...{ 'Hunt-Context': 't-acme', 'Hunt-Destination-Number': '102', 'Hunt-Caller-ID-Number': '101' },
  ...{ 'Unique-ID': 'a7eda430-65ec-4177-99f6-b09367ed0e97', 'Hunt-Network-Addr': '192.0.2.11' },
  ...{ variable_user_name: '101', variable_domain_name: 'acme.example.com', variable_accountcode: 'acme' },
  ...{ variable_sip_auth_username: '101', variable_sip_network_ip: '192.0.2.11' },
  ...given,
})

/** What it posts to route a carrier's call. */
export const didForm = (given: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...REQUEST,
  ...{ section: 'dialplan', tag_name: '', key_name: '', key_value: '', 'Call-Direction': 'inbound' },
  ...{ 'Hunt-Context': 'public', 'Hunt-Destination-Number': '380441234567' },
  ...{ 'Hunt-Caller-ID-Number': '380671234567', 'Unique-ID': 'e3abde73-6e97-4a49-ad89-b737a3003f14' },
  ...{ 'Hunt-Network-Addr': '198.51.100.9', variable_sip_network_ip: '198.51.100.9' },
  ...given,
})
