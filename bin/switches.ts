import type { Settings } from '../config/settings.ts'
import type { TelephoneSwitch } from '../core/ports/switching.ts'
import { asteriskOf, serveAsterisk } from './asterisk.ts'
import { freeswitchOf, serveFreeswitch } from './freeswitch/freeswitch.ts'
import { decisionsCounted, type Served, type Serving } from './serving.ts'

/** A kind of switch. Both functions return null if the settings do not name one. */
export interface SwitchKind {
  /** For a program that queries it, such as the command line. Connects on the first query only. */
  connect(settings: Settings): TelephoneSwitch | null
  /** For the daemon. */
  serve(settings: Settings, serving: Serving): Served | null | Promise<Served | null>
}

const KINDS: readonly SwitchKind[] = [
  { connect: asteriskOf, serve: serveAsterisk },
  { connect: freeswitchOf, serve: serveFreeswitch },
]

/** Returns the switches in the settings. */
export const switchesOf = (settings: Settings): readonly TelephoneSwitch[] =>
  KINDS.flatMap(kind => kind.connect(settings) ?? [])

export async function servedOf(settings: Settings, given: Omit<Serving, 'decided'>): Promise<readonly Served[]> {
  if (switchesOf(settings).length === 0) return []
  const serving = { ...given, decided: decisionsCounted(given.metrics) }
  const served = await Promise.all(KINDS.map(kind => kind.serve(settings, serving)))
  return served.flatMap(each => each ?? [])
}
