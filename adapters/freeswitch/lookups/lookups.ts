import type { SwitchLookups } from '../../../core/ports/switching/lookups.ts'
import { type LookupParts, lookupAnswers } from './answers.ts'
import { liveCalls } from './live-calls.ts'
import { monotonic } from './monotonic.ts'
import { trunkAddresses } from './trunk-addresses.ts'

export type FreeswitchLookupParts = Omit<LookupParts, 'live' | 'addresses'>

/** Answers the forms of mod_xml_curl. One of these must answer all lookups of a switch, so that limits hold. */
export function freeswitchLookups(parts: FreeswitchLookupParts): SwitchLookups {
  const live = liveCalls(monotonic)
  const answer = lookupAnswers({ ...parts, live, addresses: trunkAddresses() })
  return {
    answer: form => answer(new URLSearchParams(form)),
    shown: async (calls, askedAt) => {
      live.shown(calls, askedAt)
      return live.count()
    },
    ended: async call => live.ended(call),
  }
}
