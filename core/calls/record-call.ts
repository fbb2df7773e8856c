import type { Timestamp } from '../dates.ts'
import type { Dialling, ReadNumber } from '../dialling/dialling.ts'
import type { Deck } from '../rating/deck.ts'
import { type Direction, type RatedCall, rateCall } from '../rating/rate-call.ts'
import { cdrs } from '../resources/cdrs.ts'
import { Problem } from '../resources/field.ts'
import { broken, REQUIRED } from '../resources/values/field-errors.ts'
import { isFitE164 } from '../switching/fit.ts'
import { type CompletedCall, isAnswered, type UnreadableRecord } from './completed-call.ts'
import type { SwitchClock } from './switch-time.ts'

/** What is known of a tenant when its calls are rated. */
export interface Catalog {
  readonly tenantId: number
  /** How the tenant's numbers are read. */
  readonly dialling: Dialling
  /** The rates in force at that moment; null when they are not kept any more. */
  deckAt(moment: Timestamp): Deck | null
  /** Extension ids by extension number. */
  readonly extensions: ReadonlyMap<string, number>
  /** The digits of DID numbers as `dialling` reads them. */
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
  /** Tells the switch from others of its kind that give their calls the same ids; see `isSwitchName`. */
  readonly switchName?: string
}

/** A CDR's values, as its declared fields would have read them: one for each field. */
export interface CallValues extends Readonly<Record<keyof typeof cdrs.fields, string | number | null>> {
  readonly tenant_id: number
  readonly extension_id: number | null
  readonly caller_number: string
  readonly destination_number: string
  readonly direction: Direction
  readonly disposition: string
  readonly duration_seconds: number
  readonly bill_seconds: number
  readonly cost: number
  readonly started_at: Timestamp
  readonly ended_at: Timestamp | null
}

/** A call ready to be stored: a CDR's values, and how it was rated. */
export interface RatedRecord {
  readonly values: CallValues
  readonly rated: RatedCall
}

const WITHHELD = 'anonymous'

/** The slug of the tenant that a call belongs to; null when unknown. */
export const slugOf = (call: CompletedCall, { contexts, tenant }: FeedRules): string | null =>
  call.accountcode || (Object.hasOwn(contexts, call.context) ? contexts[call.context] : undefined) || tenant

/**
 * The CDR of a completed call, rated by the tenant's deck; or why it can be none. A call that ends at one of the
 * tenant's own DIDs or extensions is inbound, whoever places it: nothing of it leaves the switch, so it costs nothing.
 */
export function cdrOf(call: CompletedCall, catalog: Catalog, clock: SwitchClock): RatedRecord | UnreadableRecord {
  const startedAt = clock(call.startedAt)
  if (startedAt === null) return { reason: 'the start of the call is no date' }
  const caller = textOf('caller_number', call.callerNumber.trim() || WITHHELD)
  const destination = textOf('destination_number', call.destinationNumber)
  const disposition = textOf('disposition', call.disposition)
  if (caller instanceof Problem) return unreadable('caller_number', caller)
  if (destination instanceof Problem) return unreadable('destination_number', destination)
  if (disposition instanceof Problem) return unreadable('disposition', disposition)
  const read = catalog.dialling.read(destination)
  const direction = directionOf({ caller, destination, read, claimed: call.direction }, catalog)
  const answered = isAnswered(call)
  const answeredSeconds = answered ? call.answeredSeconds : 0
  const rated = rateCall(catalog.deckAt(startedAt), { direction, answered, answeredSeconds, destination: read })
  const { extensions } = catalog
  const ownNumber = direction === 'outbound' ? caller : destination
  const values = {
    tenant_id: catalog.tenantId,
    extension_id: extensions.get(ownNumber) ?? extensions.get(caller) ?? null,
    caller_number: caller,
    destination_number: destination,
    direction,
    disposition,
    duration_seconds: answeredSeconds,
    bill_seconds: rated.billSeconds,
    cost: rated.cost,
    started_at: startedAt,
    ended_at: call.endedAt === null ? null : clock(call.endedAt),
  }
  return { values, rated }
}

type TextField = 'caller_number' | 'destination_number' | 'disposition'

/** What the parsers of the switches' formats leave open: numbers and times are right by construction. */
const textOf = (name: TextField, given: string): string | Problem =>
  given.trim() === '' ? REQUIRED : cdrs.fields[name].parse(given)

const unreadable = (name: TextField, problem: Problem): UnreadableRecord => ({
  reason: broken(name, problem).sentence,
})

/** True for the tenant's own numbers: a call to one ends within the switch. */
export const isOwnNumber = (
  number: string,
  { extensions, dids, dialling }: Pick<Catalog, 'extensions' | 'dids' | 'dialling'>,
  read: ReadNumber = dialling.read(number),
): boolean => extensions.has(number) || dids.has(read.digits)

/** The numbers of a call, and its direction where the record has one. */
export interface PlacedCall {
  readonly caller: string
  readonly destination: string
  /** The destination. */
  readonly read: ReadNumber
  readonly claimed: Direction | null
}

/** The direction of a call as its tenant's own numbers make it, else the one that its record has. */
export function directionOf({ caller, destination, read, claimed }: PlacedCall, catalog: Catalog): Direction {
  if (isOwnNumber(destination, catalog, read)) return 'inbound'
  // A queue, a mailbox: the switch says that it stays inside, and the number is none that leaves it.
  if (claimed === 'inbound' && !isFitE164(read.digits)) return 'inbound'
  if (isOwnNumber(caller, catalog)) return 'outbound'
  return claimed ?? 'outbound'
}
