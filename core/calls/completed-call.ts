/** The formats of call records that can be ingested. */
export const SOURCE_FORMATS = [
  'asterisk-csv',
  'asterisk-custom',
  'freeswitch-csv',
  'freeswitch-json',
  'ndjson',
] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

/** Returns the kind of switch that writes a format. Formats of one switch describe the same calls. */
export const switchOf = (format: SourceFormat): string => format.split('-')[0] ?? format

/** Letters, digits and `_ . : -`, at most 50. */
export const isSwitchName = (name: string): boolean => /^[\w.:-]{1,50}$/.test(name)

/** A switch's timestamp: its wall clock as `YYYY-MM-DD HH:MM:SS`, or microseconds since 1970. */
export type SwitchMoment = { readonly local: string } | { readonly epochMicros: number }

/** Where a record belongs, for switches that write one for each phone and carrier that a call tried. */
export interface CallPart {
  /** The caller's channel. The `switchCallId` of its records begins with it and a `/`. */
  readonly channelId: string
  /** The first channel of the call; often equal to `channelId`. */
  readonly callId: string
}

/** A finished call, in the same terms for every switch. */
export interface CompletedCall {
  readonly source: SourceFormat
  /** The switch's own key, identical on each delivery: `uniqueid/sequence`, or a UUID. */
  readonly switchCallId: string
  /** Null if the call has a single record. */
  readonly part: CallPart | null
  /** The tenant's slug; empty if the switch has none. */
  readonly accountcode: string
  /** The dialplan context that the call entered; may be empty. */
  readonly context: string
  /** Empty when the caller withheld it. */
  readonly callerNumber: string
  readonly destinationNumber: string
  /** Null if the record does not say. A leg's direction as seen by the switch is not the direction of the call. */
  readonly direction: 'inbound' | 'outbound' | null
  /** True for the record of a leg to a carrier: the call is outbound, whatever numbers the tenant has by now. */
  readonly isCarriers?: boolean
  /** b: a leg that the switch placed itself, within a call that has its own record. */
  readonly leg: 'a' | 'b'
  readonly startedAt: SwitchMoment
  /** Null if nobody answered. */
  readonly answeredAt: SwitchMoment | null
  readonly endedAt: SwitchMoment | null
  /** Whole seconds since the answer, rounded up if the switch reports fractions. */
  readonly answeredSeconds: number
  /** Whole seconds since the start, including ringing. */
  readonly durationSeconds: number
  /** `ANSWERED`, `NO ANSWER`, `BUSY`, `CANCELLED`, `CONGESTION`, `FAILED` or `UNKNOWN`; ndjson may hold others. */
  readonly disposition: string
  /** The record as read, without its line end. */
  readonly raw: string
}

/** Why a record is not a usable call: the column or member, and what is wrong with it. */
export interface UnreadableRecord {
  readonly reason: string
}

export const ANSWERED = 'ANSWERED'

/** Returns true if somebody answered, so that the answered seconds are rated. Ignores case. */
export const isAnswered = ({ disposition }: { readonly disposition: string }): boolean =>
  disposition === ANSWERED || disposition.toUpperCase() === ANSWERED
