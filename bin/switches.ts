import type { Settings } from '../config/settings.ts'
import type { TelephoneSwitch } from '../core/ports/switching.ts'
import { asteriskOf, serveAsterisk } from './asterisk.ts'
import { freeswitchOf, serveFreeswitch } from './freeswitch.ts'
import type { Served, Serving } from './serving.ts'

/** A kind of switch that settings can name. Both are null where they don't. */
export interface SwitchKind {
  /** For one who asks it something, such as the command line. Opens no connection before it is asked. */
  connect(settings: Settings): TelephoneSwitch | null
  /** For the daemon. */
  serve(settings: Settings, serving: Serving): Served | null
}

const KINDS: readonly SwitchKind[] = [
  { connect: asteriskOf, serve: serveAsterisk },
  { connect: freeswitchOf, serve: serveFreeswitch },
]

/** The switches that the settings name. */
export const switchesOf = (settings: Settings): readonly TelephoneSwitch[] =>
  KINDS.flatMap(kind => kind.connect(settings) ?? [])

export const servedOf = (settings: Settings, serving: Serving): readonly Served[] =>
  KINDS.flatMap(kind => kind.serve(settings, serving) ?? [])
