import type { CompletedCall } from '../../../core/calls/completed-call.ts'
import type { FeedRules } from '../../../core/calls/record-call.ts'
import type { IngestCounts, Quarantined, SwitchRecord } from '../../../core/ports/calls.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { insert, listOf, type Shown } from '../../support/data/rows.ts'
import type { Given } from '../contract.ts'

/** Calls as a switch delivers them, for the contracts of storing and rating them. */

/** The ports that these contracts need. */
export const SWITCH_PORTS = ['calls', 'records', 'bulk', 'audit', 'decks'] as const
export type SwitchPorts = Given<(typeof SWITCH_PORTS)[number]>

export interface Acme {
  readonly tenantId: number
  readonly extensionId: number
  readonly rateId: number
}

/** The tenant acme: extension 101, DID +380441234567, and 380 at 0.0123 by 60 seconds. */
export async function acme({ records }: Pick<SwitchPorts, 'records'>): Promise<Acme> {
  const { id: tenantId } = await insert(records, 'tenants', { slug: 'acme' })
  const of = { tenant_id: tenantId }
  const { id: extensionId } = await insert(records, 'extensions', { ...of, extension_number: '101' })
  await insert(records, 'dids', { ...of, number: '+380441234567' })
  const { id: rateId } = await insert(records, 'rates', { ...of, prefix: '380', destination: 'Ukraine' })
  return { tenantId, extensionId, rateId }
}

const START = '2026-10-01 12:00:00'

/** An answered call of 65 seconds from 101 to 00380501112233, with the given changes; `start` is in UTC. */
export function completedCall(
  given: Partial<Omit<CompletedCall, 'raw'>> & { readonly start?: string } = {},
): CompletedCall {
  const { start = START, ...changes } = given
  const seconds = changes.answeredSeconds ?? 65
  const call = {
    source: 'asterisk-csv',
    switchCallId: '1',
    part: null,
    accountcode: 'acme',
    context: 'from-internal',
    callerNumber: '101',
    destinationNumber: '00380501112233',
    direction: null,
    leg: 'a',
    startedAt: { local: start },
    answeredAt: seconds > 0 ? { local: start } : null,
    endedAt: null,
    answeredSeconds: seconds,
    durationSeconds: seconds,
    disposition: seconds > 0 ? 'ANSWERED' : 'NO ANSWER',
    ...changes,
  } satisfies Omit<CompletedCall, 'raw'>
  return { ...call, raw: JSON.stringify(call) }
}

export const rules = (given: Partial<FeedRules> = {}): FeedRules => ({
  timezone: 'UTC',
  contexts: {},
  tenant: null,
  ...given,
})

/** Delivers calls as the next batch of a feed. */
export const taken = (
  { calls }: Pick<SwitchPorts, 'calls'>,
  batch: readonly CompletedCall[],
  given: Partial<FeedRules> = {},
): Promise<IngestCounts> =>
  calls.store(
    { name: 'feed', rules: rules(given) },
    batch.map(call => ({ call })),
    null,
  )

export async function quarantined({ calls }: Pick<SwitchPorts, 'calls'>): Promise<Quarantined[]> {
  const found: Quarantined[] = []
  for await (const record of calls.quarantine()) found.push(record)
  return found
}

/** Retries everything in quarantine, by these rules if given; returns how many were stored. */
export async function replayed(ports: Pick<SwitchPorts, 'calls'>, given?: Partial<FeedRules>): Promise<number> {
  const retries = (await quarantined(ports)).map(({ id, feed, rules: stored, record }) => ({
    quarantined: { id, feed, rules: given ? rules(given) : stored },
    record: reread(record),
  }))
  return ports.calls.replay(retries)
}

function reread(record: string): SwitchRecord {
  const format = 'asterisk-csv'
  return record.startsWith('{')
    ? { call: { ...JSON.parse(record), raw: record } }
    : { format, raw: record, reason: 'garbage' }
}

export interface StoredCall extends Shown {
  /** Units of 0.0001. */
  readonly units: number
  readonly source: unknown
  readonly switchCallId: unknown
  readonly outcome: unknown
  readonly prefix: unknown
}

const KEPT = ['source', 'switch_call_id', 'outcome', 'rate_prefix', 'cost']

/** All calls in the order of storing, with their ratings. */
export async function storedCalls({ records, bulk }: Pick<SwitchPorts, 'records' | 'bulk'>): Promise<StoredCall[]> {
  const kept: (readonly (string | number | null)[])[] = []
  for await (const page of bulk.dump(cdrs, KEPT, {})) kept.push(...page)
  const byId = (await listOf(records, 'cdrs')).toSorted((a, b) => a.id - b.id)
  return byId.map((call, place) => {
    const [source, switchCallId, outcome, prefix, cost] = kept[place] ?? []
    return { ...call, source, switchCallId, outcome, prefix, units: Number(cost) }
  })
}
