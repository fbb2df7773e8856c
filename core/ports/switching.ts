import type { Timestamp } from '../dates.ts'
import type { Rate } from '../rating/deck.ts'
import type { CallRequest } from '../switching/decision.ts'
import type { SwitchTenant, TenantDirectory } from '../switching/directory.ts'
import type { Used } from '../switching/limits/limits.ts'

/** What switches ask the storage. Every read uses an index, or data kept in memory until it changes. */
export interface SwitchDirectory {
  /**
   * Returns the tenant of exactly that domain, in the same case, with the extension of that number; null if there is
   * none.
   */
  registrant(domain: string, extension: string): Promise<TenantDirectory | null>
  /** Returns what decides on one call of the tenant with that slug; null if there is none. */
  forCall(slug: string, request: CallRequest, options?: CallOptions): Promise<CallFacts | null>
  /** Like `forCall`, for a call from a carrier: the tenant is the owner of the DID, by the oldest record if several have it. */
  forDid(number: string): Promise<CallFacts | null>
  /** Returns all of one tenant; null if there is none. */
  whole(slug: string): Promise<TenantDirectory | null>
  /** Yields all tenants, one at a time, by id. */
  all(): AsyncIterable<TenantDirectory>
}

export interface CallOptions {
  /** True if the decision is explained to an operator; otherwise a rate is looked up only if a limit needs one. */
  readonly isExplained?: boolean
  /** The calls in progress: what the tenant's have cost so far counts as used. */
  readonly live?: CallsInProgress
}

/** What decides on one call, at one moment. */
export interface CallFacts {
  readonly directory: TenantDirectory
  /** The rate that would bill the call; null if there is none, undefined if it was not looked up. */
  readonly rate: Rate | null | undefined
  /**
   * What has been used of the tenant's limits, and of the calling extension's: by ended calls, and what those in progress
   * have cost so far.
   */
  readonly used: { readonly tenant: Used; readonly extension: Used }
}

/** Ids of tenants, possibly deleted ones; or all of them. */
export type Changed = ReadonlySet<number> | 'all'

/** Notices changes, by any process, of what switches depend on. */
export interface SwitchChanges {
  /**
   * Returns what has changed since the last call; empty if nothing has. The first call begins to follow. If it rejects,
   * anything may have changed.
   */
  next(): Promise<{
    /** The tenants whose directory records have changed. */
    readonly records: Changed
    /** The tenants whose outgoing calls have been stored. */
    readonly calls: Changed
  }>
}

/** What tenants have used of their limits, by stored calls. */
export interface LimitUsage {
  /**
   * Counts outgoing calls that ended within the last 60 minutes, to the minute, and on this day in the tenant's zone.
   * The first answer for a tenant reads its calls of the last two days, in steps; later ones read only what is new.
   */
  of(tenant: Pick<SwitchTenant, 'id' | 'timezone'>): Promise<UsedBy>
  /** Returns those channels, of switches of that kind, that have a stored call; `of` counts it from then on. */
  stored(source: string, channels: readonly string[]): Promise<ReadonlySet<string>>
}

export interface UsedBy {
  readonly tenant: Used
  /** By extension id. */
  extension(id: number): Used
  /** The ids of extensions that have used something. */
  extensions(): ReadonlySet<number>
}

/** The rates that decide which numbers a tenant may call if its limits require a rate. */
export interface RatedPrefixes {
  /** Returns the prefixes, as written, of the tenant's active rates that are in force. */
  of(tenantId: number): Promise<readonly string[]>
}

/** A call in progress. */
export interface LiveCall {
  /** The switch's own id for it. */
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

/** The calls in progress, each found without looking at those of others. */
export interface CallsInProgress {
  /** Returns the calls of the tenant with that slug. */
  ofTenant(slug: string): readonly LiveCall[]
  /** Returns how many calls use that trunk, of all tenants. */
  onTrunk(name: string): number
}

/** A phone that is registered on the switch. */
export interface Phone {
  readonly tenant: string | null
  readonly extension: string
  /** IP address and port. */
  readonly address: string
  /** The name of its software, as it reports it. */
  readonly agent: string | null
  readonly expiresAt: Timestamp | null
}

/**
 * A switch that a program can query and control. Every method rejects with AppError `unavailable` if the switch cannot
 * be reached.
 */
export interface TelephoneSwitch {
  readonly kind: 'freeswitch' | 'asterisk'
  phones(): Promise<readonly Phone[]>
  calls(): Promise<readonly LiveCall[]>
  /** Ends a call; returns false if none has that id. */
  end(id: string): Promise<boolean>
  /** Returns what is wrong with the switch, each finding with the command that fixes it. */
  check(): Promise<readonly SwitchFinding[]>
  /** Returns what the switch is given, or answered, by the stored records; does not connect to it. */
  render(request: RenderRequest, hasSecrets: boolean): Promise<readonly RenderedPart[]>
  /** Returns how many call records it has left to be fetched; null if it leaves none. Does not connect to it. */
  recordsWaiting(): Promise<number | null>
}

/** All that belongs to no tenant, one tenant, one of its extensions, or one call of the extension. */
export interface RenderRequest {
  /** A slug. */
  readonly tenant: string | null
  readonly extension: string | null
  readonly dialled: string | null
}

export interface RenderedPart {
  /** Such as `pjsip.conf`. */
  readonly name: string
  readonly text: string
}

/** Keeps a switch in line with the database where the switch does not ask for itself. The daemon runs one for each. */
export interface SwitchFollower {
  readonly kind: TelephoneSwitch['kind']
  /**
   * Connects, and stays connected until the signal aborts. Calls `onDue` with what is then reconciled: 'all' whenever
   * the switch has been reached, and tenants whose calls in progress have reached a limit. Resolves when nothing is under
   * way any more; never rejects.
   */
  run(onDue: (changed: Changed) => void, signal: AbortSignal): Promise<void>
  /**
   * Makes the switch agree with the directory. Called one at a time, within 0.3 s of a change by any process. If it
   * rejects, the next call includes what failed.
   */
  reconcile(changed: Changed): Promise<void>
  /**
   * The tenants whose use of limits the switch holds, instead of asking at each call: they are also reconciled when
   * their calls are stored, and every minute.
   */
  limited?(): ReadonlySet<number>
  state(): FollowerState
}

export interface FollowerState {
  readonly isConnected: boolean
  /** What the switch has not confirmed yet, such as `pjsip.conf`. */
  readonly pending: readonly string[]
}

export interface SwitchFinding {
  /** Lower case with underscores, as in `doctor`. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** A sentence without its full stop. */
  readonly finding: string
  /** A command, or what to do; null if there is nothing to do. */
  readonly fix: string | null
}
