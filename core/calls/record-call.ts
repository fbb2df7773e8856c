import type { Timestamp } from '../dates.ts'
import type { Dialling, ReadNumber } from '../dialling/read-number.ts'
import type { Deck } from '../rating/deck.ts'
import { type Direction, type RatedCall, rateCall } from '../rating/rate-call.ts'
import { cdrs } from '../resources/cdrs.ts'
import { Problem } from '../resources/field.ts'
import { broken, REQUIRED } from '../resources/values/field-errors.ts'
import { isFitE164 } from '../switching/fit.ts'
import { type CompletedCall, isAnswered, type UnreadableRecord } from './completed-call.ts'
import type { SwitchClock } from './switch-time.ts'

/** What rating a tenant's calls needs. */
export interface Catalog {
  readonly tenantId: number
  /** How the tenant's numbers are read. */
  readonly dialling: Dialling
  /** Returns the rates in force at that moment; null if they are no longer kept. */
  deckAt(moment: Timestamp): Deck | null
  /** Extension ids by extension number. */
  readonly extensions: ReadonlyMap<string, number>
  /** DID numbers, as the digits that `dialling` reads. */
  readonly dids: ReadonlySet<string>
}

/** How to read the records of one feed. */
export interface FeedRules {
  /** The switch's zone, an IANA name. */
  readonly timezone: string
  /** Tenant slugs by dialplan context, for records without an account code. */
  readonly contexts: Readonly<Record<string, string>>
  /** The slug for records that name no tenant in any other way; null if there is none. */
  readonly tenant: string | null
  /** Distinguishes the switch from others of its kind that use the same call ids; see `isSwitchName`. */
  readonly switchName?: string
}

/** The values of a CDR, as its declared fields read them: one for each field. */
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

/** A call ready to be stored: the values of its CDR, and how it was rated. */
export interface RatedRecord {
  readonly values: CallValues
  readonly rated: RatedCall
}

const WITHHELD = 'anonymous'

/** The slug of the tenant that a call belongs to; null if unknown. */
export const slugOf = (call: CompletedCall, { contexts, tenant }: FeedRules): string | null =>
  call.accountcode || (Object.hasOwn(contexts, call.context) ? contexts[call.context] : undefined) || tenant

/**
 * Returns the CDR of a completed call, rated by the tenant's deck, or why it cannot have one. A call to one of the
 * tenant's own DIDs or extensions is inbound, whoever places it: nothing leaves the switch, so it costs nothing. A leg to
 * a carrier did leave it: the number may be a short one that an extension has too, or have become a DID since.
 */
export function cdrOf(call: CompletedCall, catalog: Catalog, clock: SwitchClock): RatedRecord | UnreadableRecord {
  const startedAt = clock(call.startedAt)
  if (startedAt === null) return { reason: 'the start of the call is not a date' }
  const caller = textOf('caller_number', call.callerNumber.trim() || WITHHELD)
  const destination = textOf('destination_number', call.destinationNumber)
  const disposition = textOf('disposition', call.disposition)
  if (caller instanceof Problem) return unreadable('caller_number', caller)
  if (destination instanceof Problem) return unreadable('destination_number', destination)
  if (disposition instanceof Problem) return unreadable('disposition', disposition)
  const read = catalog.dialling.read(destination)
  const direction = call.isCarriers
    ? 'outbound'
    : directionOf({ caller, destination, read, claimed: call.direction }, catalog)
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

/** Checks what parsers leave open: numbers and times are correct by construction. */
const textOf = (name: TextField, text: string): string | Problem =>
  text.trim() === '' ? REQUIRED : cdrs.fields[name].parse(text)

const unreadable = (name: TextField, problem: Problem): UnreadableRecord => ({
  reason: broken(name, problem).sentence,
})

/** True for the tenant's own numbers: a call to one ends inside the switch. */
export const isOwnNumber = (
  number: string,
  { extensions, dids, dialling }: Pick<Catalog, 'extensions' | 'dids' | 'dialling'>,
  read: ReadNumber = dialling.read(number),
): boolean => extensions.has(number) || dids.has(read.digits)

/** The numbers of a call, and the direction that its record claims. */
export interface PlacedCall {
  readonly caller: string
  readonly destination: string
  /** The destination. */
  readonly read: ReadNumber
  readonly claimed: Direction | null
}

/** Returns the direction that follows from the tenant's own numbers, or else the one in the record. */
export function directionOf({ caller, destination, read, claimed }: PlacedCall, catalog: Catalog): Direction {
  if (isOwnNumber(destination, catalog, read)) return 'inbound'
  // A queue or a mailbox: the switch reports an internal call, and the number cannot leave the switch.
  if (claimed === 'inbound' && !isFitE164(read.digits)) return 'inbound'
  if (isOwnNumber(caller, catalog)) return 'outbound'
  return claimed ?? 'outbound'
}
