import { cdrs } from '../resources/cdrs.ts'
import { parseMembers } from '../resources/input.ts'
import type { Row } from '../resources/resource.ts'
import { type CompletedCall, isAnswered, type SourceFormat, type UnreadableRecord } from './completed-call.ts'
import type { Deck } from './deck.ts'
import type { SwitchClock } from './local-time.ts'
import { dialled } from './number.ts'
import { type RatedCall, rateCall } from './rate-call.ts'

/** What is known of a tenant when its calls are rated. */
export interface Catalog {
  readonly tenantId: number
  readonly deck: Deck
  /** Extension ids by extension number. */
  readonly extensions: ReadonlyMap<string, number>
  /** DID numbers as `dialled` leaves them. */
  readonly dids: ReadonlySet<string>
}

/** How the records of one feed are to be read. */
export interface FeedRules {
  /** The switch's zone, an IANA name. */
  readonly timezone: string
  /** Tenants' slugs by dialplan context, for records without an account code. */
  readonly contexts: Readonly<Record<string, string>>
  /** The slug for records that nothing else gives a tenant; null when there is none. */
  readonly tenant: string | null
}

/** A call ready to be stored: a CDR's values, how it was rated, and what it is known by. */
export interface RatedRecord {
  readonly values: Row
  readonly rated: RatedCall
}

const WITHHELD = 'anonymous'

/** The slug of the tenant that a call belongs to; null when nothing tells. */
export const slugOf = (call: CompletedCall, { contexts, tenant }: FeedRules): string | null =>
  call.accountcode || (Object.hasOwn(contexts, call.context) ? contexts[call.context] : undefined) || tenant

/** The switch that a format belongs to: its calls are the same calls in each of its formats. */
export const switchOf = (format: SourceFormat): string => format.split('-')[0] ?? format

/**
 * The CDR of a completed call, rated by the tenant's deck; or why it can be none. A call that ends at one of the
 * tenant's own DIDs or extensions is inbound, whoever places it: nothing of it leaves the switch, so it costs nothing.
 */
export function recordCall(call: CompletedCall, catalog: Catalog, clock: SwitchClock): RatedRecord | UnreadableRecord {
  const startedAt = clock(call.startedAt)
  if (startedAt === null) return { reason: 'the start of the call is no date' }
  const direction = directionOf(call, catalog)
  const answered = isAnswered(call)
  const answeredSeconds = answered ? call.answeredSeconds : 0
  const rated = rateCall(catalog.deck, {
    direction,
    answered,
    answeredSeconds,
    destinationNumber: call.destinationNumber,
  })
  const ownNumber = direction === 'outbound' ? call.callerNumber : call.destinationNumber
  const { values, errors } = parseMembers(
    cdrs.fields,
    {
      tenant_id: catalog.tenantId,
      extension_id: catalog.extensions.get(ownNumber) ?? null,
      caller_number: call.callerNumber || WITHHELD,
      destination_number: call.destinationNumber,
      direction,
      disposition: call.disposition,
      duration_seconds: answeredSeconds,
      bill_seconds: rated.billSeconds,
      cost: 0,
      started_at: startedAt,
      ended_at: call.endedAt === null ? null : clock(call.endedAt),
    },
    'create',
  )
  const [problem] = Object.values(errors).flat()
  return problem === undefined ? { values: { ...values, cost: rated.cost }, rated } : { reason: problem }
}

function directionOf(call: CompletedCall, { extensions, dids, deck }: Catalog): 'inbound' | 'outbound' {
  const isOwn = (number: string): boolean =>
    extensions.has(number) || dids.has(dialled(number, deck.internationalPrefix))
  if (isOwn(call.destinationNumber)) return 'inbound'
  if (isOwn(call.callerNumber)) return 'outbound'
  return call.direction ?? 'outbound'
}
