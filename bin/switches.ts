import type { Logger } from 'pino'
import type { Metrics } from '../adapters/http/metrics.ts'
import type { Settings } from '../config/settings.ts'
import type { Calls } from '../core/ports/calls.ts'
import type { Mount } from '../core/ports/mounts.ts'
import type { SwitchDirectory, SwitchFollower, TelephoneSwitch } from '../core/ports/switching.ts'
import type { Clock } from '../core/ports/system.ts'
import type { TenantDirectory } from '../core/switching/directory.ts'
import type { LimitUse } from '../core/switching/limits.ts'
import { freeswitchOf, serveFreeswitch } from './freeswitch.ts'

/** What a switch is served with. */
export interface Serving {
  readonly directory: SwitchDirectory
  readonly calls: Pick<Calls, 'store'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'counter'>
  /** Told of each limit that a call is refused by. */
  onLimit(directory: TenantDirectory, use: LimitUse): void
}

/** A switch that the daemon serves. */
export interface Served {
  readonly follower: SwitchFollower
  /** What the switch asks over HTTP. */
  readonly mounts: readonly Mount[]
  /** Where the switch leaves call records, a file each, which are removed once they are stored; null for nowhere. */
  readonly folder: string | null
}

/** A kind of switch that settings can name. Both are null where they don't. */
export interface SwitchKind {
  /** For one who asks it something, such as the command line. Opens no connection before it is asked. */
  connect(settings: Settings): TelephoneSwitch | null
  /** For the daemon. */
  serve(settings: Settings, serving: Serving): Served | null
}

const KINDS: readonly SwitchKind[] = [{ connect: freeswitchOf, serve: serveFreeswitch }]

/** The switches that the settings name. */
export const switchesOf = (settings: Settings): readonly TelephoneSwitch[] =>
  KINDS.flatMap(kind => kind.connect(settings) ?? [])

export const servedOf = (settings: Settings, serving: Serving): readonly Served[] =>
  KINDS.flatMap(kind => kind.serve(settings, serving) ?? [])
