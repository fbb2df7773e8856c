import type { Logger } from 'pino'
import type { Metrics } from '../adapters/http/metrics.ts'
import type { Calls } from '../core/ports/calls.ts'
import type { Mount } from '../core/ports/mounts.ts'
import type { LimitUsage, RatedPrefixes, SwitchDirectory, SwitchFollower } from '../core/ports/switching.ts'
import type { Clock } from '../core/ports/system.ts'
import type { TenantDirectory } from '../core/switching/directory.ts'
import type { LimitUse } from '../core/switching/limits/limits.ts'

/** What a switch is served with. */
export interface Serving {
  readonly directory: SwitchDirectory
  readonly usage: LimitUsage
  readonly rates: RatedPrefixes
  readonly calls: Pick<Calls, 'store'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'counter'>
  /** Called with each limit that a call is refused by. */
  onLimit(directory: TenantDirectory, use: LimitUse & { readonly of: string | null }): void
}

/** A switch that the daemon serves. */
export interface Served {
  readonly follower: SwitchFollower
  /** What the switch asks over HTTP. */
  readonly mounts: readonly Mount[]
  /** Where the switch leaves call records, a file each, which are removed once they are stored; null for nowhere. */
  readonly folder: string | null
}
