import type { Timestamp } from '../dates.ts'
import type { Rate } from '../rating/deck.ts'
import type { CallRequest } from '../switching/decision.ts'
import type { SwitchTenant, TenantDirectory } from '../switching/directory.ts'
import type { Used } from '../switching/limits/limits.ts'

/** What switches ask the storage about. Every read goes by an index, or by what is kept in memory until it changes. */
export interface SwitchDirectory {
  /** The tenant of exactly that domain, case included, with the extension of that number; null when there is none. */
  registrant(domain: string, extension: string): Promise<TenantDirectory | null>
  /**
   * What decides on one call: of the tenant with that slug; null when there is none. A rate is looked up where a limit
   * wants one, or to tell an operator of it.
   */
  forCall(slug: string, request: CallRequest, options?: { readonly isTold?: boolean }): Promise<CallFacts | null>
  /** Likewise, for a call from a carrier: of the tenant that owns the DID; of several the one whose record is the oldest. */
  forDid(number: string): Promise<CallFacts | null>
  /** All of one tenant; null when there is none. */
  whole(slug: string): Promise<TenantDirectory | null>
  /** Of all tenants, one at a time, by id. */
  all(): AsyncIterable<TenantDirectory>
}

/** What decides on one call, at one moment. */
export interface CallFacts {
  readonly directory: TenantDirectory
  /** The rate that the call would be billed by; null without one; undefined where it was not looked up. */
  readonly rate: Rate | null | undefined
  /** What was used of the tenant's limits and, for a call of an extension, of that one's; without the calls that are up. */
  readonly used: { readonly tenant: Used; readonly extension: Used }
}

/** Ids of tenants, also of those that are gone; or all of them. */
export type Changed = ReadonlySet<number> | 'all'

/** Notices what any process changes of what switches go by. */
export interface SwitchChanges {
  /** What has changed since it was asked last, the first time since it was made; empty where nothing has. */
  next(): Promise<{
    /** Of whom the records that a directory is made of have changed. */
    readonly records: Changed
    /** Of whom calls out have been stored. */
    readonly calls: Changed
  }>
}

/** What tenants have used of their limits, by the calls that are stored. */
export interface LimitUsage {
  /**
   * Of the calls out that have ended within the last 60 minutes, to the minute, and on this day of the tenant's zone.
   * The first answer for a tenant reads its calls of the last two days, in steps; later ones only what is new.
   */
  of(tenant: Pick<SwitchTenant, 'id' | 'timezone'>): Promise<UsedBy>
}

export interface UsedBy {
  readonly tenant: Used
  /** By the id of an extension. */
  extension(id: number): Used
  /** The ids of those that have used something. */
  extensions(): ReadonlySet<number>
}

/** The rates that say which numbers a tenant may call where it needs a rate. */
export interface RatedPrefixes {
  /** The prefixes of the tenant's active rates that are in force, as they are written. */
  of(tenantId: number): Promise<readonly string[]>
}

/** A call that is up on the switch. */
export interface LiveCall {
  /** What the switch knows it by. */
  readonly id: string
  readonly tenant: string | null
  /** The extension's number; null for a call from a carrier. */
  readonly extension: string | null
  readonly from: string
  readonly to: string
  readonly direction: 'internal' | 'inbound' | 'outbound' | null
  readonly trunk: string | null
  readonly startedAt: Timestamp
  /** null while it rings. */
  readonly answeredAt: Timestamp | null
}

/** A telephone that is registered on the switch. */
export interface Phone {
  readonly tenant: string | null
  readonly extension: string
  /** IP address and port. */
  readonly address: string
  /** What it calls itself. */
  readonly agent: string | null
  readonly expiresAt: Timestamp | null
}

/** A switch that a program talks to. Each rejects with AppError `unavailable` when the switch cannot be reached. */
export interface TelephoneSwitch {
  readonly kind: 'freeswitch' | 'asterisk'
  phones(): Promise<readonly Phone[]>
  calls(): Promise<readonly LiveCall[]>
  /** Ends a call; false when there is none of that id. */
  end(id: string): Promise<boolean>
  /** What is wrong with it, each with the command that helps. */
  check(): Promise<readonly SwitchFinding[]>
}

/** Keeps a switch as the database says, in what the switch does not ask for itself. The daemon runs one for each. */
export interface SwitchFollower {
  readonly kind: TelephoneSwitch['kind']
  /**
   * Connects and stays connected until the signal. Calls `onConnected` each time that the switch has been reached;
   * then `reconcile` is called with 'all'. Resolves once nothing of it is under way; never rejects.
   */
  run(onConnected: () => void, signal: AbortSignal): Promise<void>
  /**
   * Makes the switch agree with the directory. Called one at a time, within 0.3 s after a change that any process has
   * made; where it rejects, what it was called with is part of the next call.
   */
  reconcile(changed: Changed): Promise<void>
  /**
   * The tenants whose use of limits the switch was told, rather than asking at each call: they are reconciled as well
   * when calls of theirs are stored, and each minute.
   */
  limited?(): ReadonlySet<number>
}

export interface SwitchFinding {
  /** As in `doctor`: lower case with underscores. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** A sentence without its full stop. */
  readonly finding: string
  /** A command, or what to do; null where there is nothing to do. */
  readonly fix: string | null
}
