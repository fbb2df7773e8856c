import type { ReadNumber } from '../dialling/read-number.ts'
import type { SwitchExtension, SwitchQueue, SwitchTenant, Trunk } from './directory.ts'
import type { LimitName } from './limits/limits.ts'

/** Why a switch must not connect a call or register a phone. */
export const REFUSALS = [
  'unknown tenant',
  'tenant not active',
  'unfit tenant',
  'unknown extension',
  'extension not active',
  'no secret',
  'wrong domain',
  'not its own number',
  'unfit number',
  'unknown number',
  'unknown queue',
  'queue not active',
  'unknown DID',
  'DID not active',
  'DID of another trunk',
  'trunk not active',
  'no voicemail',
  'no route',
  'prefix blocked',
  'prefix not allowed',
  'no rate',
  'no trunk',
  'limit reached',
  'limit unreadable',
] as const
export type Refusal = (typeof REFUSALS)[number]

/** A call that a switch asks about. */
export type CallRequest =
  | {
      readonly from: 'extension'
      readonly extension: string
      /** As it was dialled. */
      readonly dialled: string
      /** True if a phone sends an existing call on (302, REFER); on behalf of the extension whose call it is. */
      readonly isSentOn?: boolean
    }
  | {
      readonly from: 'trunk'
      /** The trunk's name; null if the call came from no known trunk. */
      readonly trunk: string | null
      readonly caller: string
      /** As the carrier wrote it. */
      readonly dialled: string
    }

/** One destination that a call is sent to. */
export type Target =
  | {
      readonly to: 'extension'
      readonly extension: SwitchExtension
      /** Seconds to ring. */
      readonly rings: number
    }
  | { readonly to: 'queue'; readonly queue: SwitchQueue; readonly agents: readonly SwitchAgent[] }
  | { readonly to: 'voicemail'; readonly extension: SwitchExtension }
  /** The messages that the caller itself has received. */
  | { readonly to: 'mailbox'; readonly extension: SwitchExtension }
  | {
      readonly to: 'trunk'
      readonly trunk: Trunk
      /** The number sent to the carrier, in the carrier's form. */
      readonly number: string
      /** The caller shown to the carrier, in the same form; null for no number. */
      readonly caller: string | null
    }

/** An active extension that takes calls of a queue. */
export interface SwitchAgent {
  readonly extension: SwitchExtension
  readonly penalty: number
}

/** A step of a decision, in order; `explain` puts it in words. */
export type Step =
  | { readonly kind: 'tenant'; readonly tenant: SwitchTenant }
  | { readonly kind: 'caller'; readonly extension: SwitchExtension }
  | {
      readonly kind: 'number'
      readonly given: string
      readonly read: ReadNumber
      /** The country whose plan read it; null without a plan. */
      readonly country: string | null
    }
  | { readonly kind: 'inside'; readonly what: 'extension' | 'queue' | 'DID'; readonly number: string }
  | {
      readonly kind: 'permission'
      /** The extension's number; null for the tenant's. */
      readonly of: string | null
      readonly prefix: string | null
      readonly rule: 'allowed' | 'blocked' | 'not listed'
    }
  | { readonly kind: 'rate'; readonly prefix: string | null; readonly isRequired: boolean }
  | {
      readonly kind: 'limit'
      readonly name: LimitName
      /** The extension's number; null for the tenant's. */
      readonly of: string | null
      /** Calls, or units of 0.0001. */
      readonly used: number
      readonly limit: number
    }
  | { readonly kind: 'route'; readonly prefix: string; readonly trunks: readonly string[]; readonly isOwn: boolean }
  | { readonly kind: 'trunk'; readonly name: string; readonly isUsable: boolean; readonly why: string | null }
  | { readonly kind: 'target'; readonly target: Target }

/** A call to connect to the targets, each tried if the previous one does not take it. */
export interface PutThrough {
  readonly refusal: null
  readonly direction: 'internal' | 'inbound' | 'outbound'
  /** The destination for the call's record: E.164 with the plus, else as dialled. */
  readonly number: string
  readonly targets: readonly [Target, ...Target[]]
  /** The switch ends the call after that many seconds; null: never. */
  readonly maxSeconds: number | null
}

export interface Refused {
  readonly refusal: Refusal
  /** A sentence for an operator, without its full stop. */
  readonly reason: string
}

export const refused = (refusal: Refusal, reason: string): Refused => ({ refusal, reason })

export type CallDecision = { readonly steps: readonly Step[] } & (PutThrough | Refused)

export type RegistrationDecision =
  | { readonly refusal: null; readonly tenant: SwitchTenant; readonly extension: SwitchExtension }
  | Refused
