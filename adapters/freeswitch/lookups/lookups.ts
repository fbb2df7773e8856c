import type { SwitchLookups } from '../../../core/ports/switching/lookups.ts'
import { recordsTaken } from '../records-left.ts'
import { type LookupParts, lookupAnswers } from './answers.ts'
import { liveCalls } from './live-calls.ts'
import { monotonic } from './monotonic.ts'
import { trunkAddresses } from './trunk-addresses.ts'

export interface FreeswitchLookupParts extends Omit<LookupParts, 'live' | 'addresses'> {
  /** Where mod_json_cdr leaves what it could not post; null if the settings do not say. */
  readonly cdrFolder: string | null
}

/** Milliseconds that calls wait after a start; the switch itself waits for two seconds. */
const PATIENCE_MS = 1_000

/**
 * Answers the forms of mod_xml_curl. One of these must answer all lookups of a switch, so that limits hold. After a
 * start, calls wait until the switch has shown those in progress, and the records of those that ended meanwhile are
 * stored, but not longer than `patienceMs`.
 */
export function freeswitchLookups(
  { cdrFolder, ...parts }: FreeswitchLookupParts,
  patienceMs = PATIENCE_MS,
): SwitchLookups {
  const live = liveCalls(monotonic)
  const answer = lookupAnswers({ ...parts, live, addresses: trunkAddresses() })
  const patience = new AbortController()
  const isOver = new Promise<void>(resolve => {
    setTimeout(() => resolve(patience.abort()), patienceMs).unref()
  })
  let noteFirst: () => void = () => undefined
  const first = new Promise<void>(resolve => {
    noteFirst = resolve
  })
  // A call that the first list lacks has left its record by then.
  const taken = first.then(() => (cdrFolder === null ? undefined : recordsTaken(cdrFolder, patience.signal)))
  const all = Promise.race([taken, isOver])
  return {
    answer: async lookup => {
      const form = new URLSearchParams(lookup)
      if (form.get('section') === 'dialplan') await all
      return answer(form)
    },
    shown: async (calls, askedAt) => {
      live.shown(calls, askedAt)
      noteFirst()
      return live.count()
    },
    ended: async call => live.ended(call),
  }
}
