import type { Trunk } from '../../../core/switching/directory.ts'
import { isFitDomain, isFitName, isFitNumber } from '../../../core/switching/fit.ts'
import { gatewayOf, partsOf, phoneName, trunkOf } from '../names.ts'
import { callsOf, channelsIn, registrationsIn, SHOW_CHANNELS, SHOW_REGISTRATIONS } from '../socket/channels.ts'
import type { KnownTenant } from './known.ts'

/** A connected FreeSWITCH. */
export interface Commands {
  /** Sends a command and returns the answer, which may be an error. */
  ask(command: string): Promise<string>
  /** Sends a command; reports a refusal. */
  tell(command: string): Promise<void>
}

/** Changed tenants: as they were at the last check, and as they are. */
export interface Change {
  readonly was: KnownTenant | null
  readonly is: KnownTenant | null
}

/** What to bring in line; with `isAll`, the changes include every tenant, and nothing else may be on the switch. */
export interface Changes {
  readonly tenants: readonly Change[]
  readonly isAll: boolean
}

/** Ends the calls of tenants and extensions that may no longer call. */
export async function agreeCalls({ ask, tell }: Commands, { tenants, isAll }: Changes): Promise<void> {
  const end = (variable: string, value: string): Promise<void> => tell(`hupall NORMAL_CLEARING ${variable} ${value}`)
  for (const { was, is } of tenants) {
    const slug = was?.slug ?? is?.slug ?? ''
    if (isFitName(slug) && !is?.isActive && (isAll || was?.isActive)) await end('accountcode', slug)
    if (is?.isActive)
      for (const number of was?.phones.keys() ?? [])
        if (!is.phones.has(number)) await end('trunkline_phone', phoneName(is, { number }))
  }
  if (!isAll) return
  const bySlug = new Map(tenants.map(({ is }) => [is?.slug ?? '', is]))
  for (const { tenant, extension } of callsOf(channelsIn(await ask(SHOW_CHANNELS)))) {
    const is = tenant === null ? null : bySlug.get(tenant)
    if (tenant !== null && !is && isFitName(tenant)) await end('accountcode', tenant)
    if (is?.isActive && extension !== null && !is.phones.has(extension) && isFitNumber(extension))
      await end('trunkline_phone', phoneName(is, { number: extension }))
  }
}

/** The most registrations that are flushed without checking whether they exist. */
const FEW = 20

/** Removes the registrations of phones that may no longer be called, or must authenticate with a new secret. */
export async function agreePhones({ ask, tell }: Commands, { tenants, isAll }: Changes): Promise<void> {
  const stale = new Set(tenants.flatMap(staleIn))
  const byDomain = new Map(tenants.flatMap(({ is }) => (is ? [[is.domain, is] as const] : [])))
  const flush = (phone: string): Promise<void> => tell(`sofia profile internal flush_inbound_reg ${phone}`)
  if (!isAll && stale.size <= FEW) {
    for (const phone of stale) await flush(phone)
    return
  }
  for (const { user, domain } of registrationsIn(await ask(SHOW_REGISTRATIONS))) {
    const isKnown = byDomain.get(domain)?.phones.has(user) ?? false
    if (!stale.has(`${user}@${domain}`) && (isKnown || !isAll)) continue
    // Anybody may have written these: only a valid number and domain go into a command.
    if (isFitNumber(user) && isFitDomain(domain)) await flush(`${user}@${domain}`)
  }
}

const staleIn = ({ was, is }: Change): string[] =>
  [...(was?.phones ?? [])].flatMap(([number, proof]) =>
    is?.phones.get(number) === proof && is.domain === was?.domain ? [] : [`${number}@${was?.domain}`],
  )

/** Loads changed queues, and removes deleted queues and agents, which loading never does. */
export async function agreeQueues({ ask, tell }: Commands, { tenants, isAll }: Changes): Promise<void> {
  const changed = tenants.flatMap(({ was, is }) =>
    [...(is?.queues ?? [])].flatMap(([name, { made }]) => (was?.queues.get(name)?.made === made ? [] : [name])),
  )
  const wanted = new Map(tenants.flatMap(({ is }) => [...(is?.queues ?? [])]))
  const gone = tenants.flatMap(({ was }) => [...(was?.queues.keys() ?? [])].filter(name => !wanted.has(name)))
  if (isAll)
    gone.push(...(await column(ask, 'queue list', 0)).filter(name => !wanted.has(name) && !gone.includes(name)))
  for (const name of changed) await tell(`callcenter_config queue reload ${name}`)
  for (const name of gone) await tell(`callcenter_config queue unload ${name}`)
  if (changed.length === 0 && gone.length === 0) return
  const slugs = new Set(tenants.flatMap(({ was, is }) => [was?.slug, is?.slug]))
  const isOurs = (name: string): boolean => isAll || slugs.has(partsOf(name)?.slug)
  for (const [queue = '', agent = ''] of await table(ask, 'tier list'))
    if (isOurs(queue) && !wanted.get(queue)?.agents.has(agent))
      await tell(`callcenter_config tier del ${queue} ${agent}`)
  const agents = new Set([...wanted.values()].flatMap(queue => [...queue.agents]))
  for (const agent of await column(ask, 'agent list', 0))
    if (isOurs(agent) && !agents.has(agent)) await tell(`callcenter_config agent del ${agent}`)
}

const NAME = /^[A-Za-z0-9+*#_.@-]{1,200}$/

/** Returns the rows of a mod_callcenter list, with columns separated by `|`; the last line is `+OK`. */
async function table(ask: Commands['ask'], list: string): Promise<string[][]> {
  const [, ...rows] = (await ask(`callcenter_config ${list}`)).split('\n')
  return rows.map(row => row.split('|')).filter(([first = '', second = '']) => NAME.test(first) && second !== '')
}

const column = async (ask: Commands['ask'], list: string, index: number): Promise<string[]> =>
  (await table(ask, list)).flatMap(row => row[index] ?? [])

/** Removes the gateways of deleted or changed trunks, and loads the missing ones. */
export async function agreeGateways({ ask, tell }: Commands, trunks: readonly Trunk[], key: string): Promise<void> {
  const wanted = new Set(trunks.map(trunk => gatewayOf(trunk, key)))
  const present = await gatewaysOf(ask)
  for (const name of present)
    if (trunkOf(name) !== null && !wanted.has(name)) await tell(`sofia profile external killgw ${name}`)
  if ([...wanted].some(name => !present.includes(name))) await tell('sofia profile external rescan')
}

/** Returns the gateways that FreeSWITCH has, up or down. */
export async function gatewaysOf(ask: Commands['ask']): Promise<string[]> {
  const lists = [await ask('sofia profile external gwlist'), await ask('sofia profile external gwlist down')]
  return lists.flatMap(list => (list.startsWith('-') ? [] : list.split(/\s+/).filter(name => NAME.test(name))))
}
