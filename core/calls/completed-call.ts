/** The forms in which switches hand over their call records. */
export const SOURCE_FORMATS = [
  'asterisk-csv',
  'asterisk-custom',
  'freeswitch-csv',
  'freeswitch-json',
  'ndjson',
] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

/** The switch that a format belongs to: its calls are the same calls in each of its formats. */
export const switchOf = (format: SourceFormat): string => format.split('-')[0] ?? format

/** Letters, digits and `_ . : -`, at most 50. */
export const isSwitchName = (name: string): boolean => /^[\w.:-]{1,50}$/.test(name)

/** A moment as the switch writes it: its wall clock, `YYYY-MM-DD HH:MM:SS`, or microseconds since 1970. */
export type SwitchMoment = { readonly local: string } | { readonly epochMicros: number }

/** The ids of what a record is a part of, where a switch writes one for each telephone and carrier that a call tried. */
export interface CallPart {
  /** The caller's channel: its records' `switchCallId` begin with it and a `/`. */
  readonly channelId: string
  /** The first channel of the call; often the same. */
  readonly callId: string
}

/** A finished call, in the same terms whatever switch recorded it. */
export interface CompletedCall {
  readonly source: SourceFormat
  /** The switch's own key, the same each time the call is delivered: `uniqueid/sequence`, a UUID. */
  readonly switchCallId: string
  /** Absent where the record is all there is of the call. */
  readonly part?: CallPart
  /** The tenant's slug; empty when the switch knows none. */
  readonly accountcode: string
  /** The dialplan context the call came in by; may be empty. */
  readonly context: string
  /** Empty when the caller withheld it. */
  readonly callerNumber: string
  readonly destinationNumber: string
  /** Null when the record doesn't tell; a leg's direction, as seen by the switch, is not the call's. */
  readonly direction: 'inbound' | 'outbound' | null
  /** b: the record of a leg that the switch itself placed, within a call whose record is another one. */
  readonly leg: 'a' | 'b'
  readonly startedAt: SwitchMoment
  /** Null when nobody answered. */
  readonly answeredAt: SwitchMoment | null
  readonly endedAt: SwitchMoment | null
  /** Whole seconds since the answer: where the switch tells fractions, a second that has begun counts. */
  readonly answeredSeconds: number
  /** Whole seconds since the start, ringing included. */
  readonly durationSeconds: number
  /** `ANSWERED`, `NO ANSWER`, `BUSY`, `CANCELLED`, `CONGESTION`, `FAILED` or `UNKNOWN`; ndjson may have others. */
  readonly disposition: string
  /** The record as it was read, without its line end. */
  readonly raw: string
}

/** A record that is not a usable call, and why: the column or member, and what is wrong with it. */
export interface UnreadableRecord {
  readonly reason: string
}

export const ANSWERED = 'ANSWERED'

/** Returns true if somebody answered, so that the answered seconds are to be rated; in any case of letters. */
export const isAnswered = ({ disposition }: { readonly disposition: string }): boolean =>
  disposition === ANSWERED || disposition.toUpperCase() === ANSWERED
