import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import type { SwitchDirectory, SwitchFollower, TelephoneSwitch } from '../core/ports/switching.ts'
import type { Clock } from '../core/ports/system.ts'

/** What a switch's follower works with. */
export interface Following {
  readonly directory: SwitchDirectory
  readonly clock: Clock
  readonly log: Logger
}

/** A kind of switch that settings can name. Both are null where they don't. */
export interface SwitchKind {
  /** For one who asks it something, such as the command line. Opens no connection before it is asked. */
  connect(settings: Settings): TelephoneSwitch | null
  /** For the daemon. */
  follow(settings: Settings, following: Following): SwitchFollower | null
}

const KINDS: readonly SwitchKind[] = []

/** The switches that the settings name. */
export const switchesOf = (settings: Settings): readonly TelephoneSwitch[] =>
  KINDS.flatMap(kind => kind.connect(settings) ?? [])

export const followersOf = (settings: Settings, following: Following): readonly SwitchFollower[] =>
  KINDS.flatMap(kind => kind.follow(settings, following) ?? [])
