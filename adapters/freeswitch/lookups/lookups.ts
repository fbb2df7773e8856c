import type { SwitchLookups } from '../../../core/ports/switching/lookups.ts'
import { type LookupParts, lookupAnswers } from './answers.ts'
import { liveCalls } from './live-calls.ts'
import { monotonic } from './monotonic.ts'
import { trunkAddresses } from './trunk-addresses.ts'

export type FreeswitchLookupParts = Omit<LookupParts, 'live' | 'addresses'>

/** Milliseconds that calls wait for the first list of those in progress; the switch itself waits for two seconds. */
const PATIENCE_MS = 1_000

/**
 * Answers the forms of mod_xml_curl. One of these must answer all lookups of a switch, so that limits hold. After a
 * start, calls wait until the switch has shown those in progress, but not longer than `patienceMs`.
 */
export function freeswitchLookups(parts: FreeswitchLookupParts, patienceMs = PATIENCE_MS): SwitchLookups {
  const live = liveCalls(monotonic)
  const answer = lookupAnswers({ ...parts, live, addresses: trunkAddresses() })
  let noteFirst: () => void = () => undefined
  const first = new Promise<void>(resolve => {
    noteFirst = resolve
    setTimeout(resolve, patienceMs).unref()
  })
  return {
    answer: async lookup => {
      const form = new URLSearchParams(lookup)
      if (form.get('section') === 'dialplan') await first
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
