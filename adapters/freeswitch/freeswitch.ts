import { freeswitchFollower } from './follow/follower.ts'
import { type FreeswitchLookupParts, freeswitchLookups } from './lookups/lookups.ts'
import { lookupMount, recordMount } from './lookups/mounts.ts'
import { freeswitchSwitch } from './queries/switch.ts'
import { freeswitchSetup } from './setup/setup.ts'

export type FreeswitchRequests = Parameters<typeof lookupMount>[0]
export type FreeswitchDecided = FreeswitchLookupParts['onDecision']

/** Everything that the programs use of this adapter. The token is also the key of the gateways' marks. */
export const freeswitch = {
  ask: freeswitchSwitch,
  lookups: freeswitchLookups,
  mounts: { lookup: lookupMount, record: recordMount },
  follow: freeswitchFollower,
  setup: freeswitchSetup,
}
