import { type FollowerParts, freeswitchFollower } from './follow/follower.ts'
import { type LookupParts, lookupAnswers } from './lookups/answers.ts'
import { liveCalls } from './lookups/live-calls.ts'
import { freeswitchMounts, type MountParts } from './lookups/mounts.ts'
import { trunkAddresses } from './lookups/trunk-addresses.ts'
import { freeswitchSwitch } from './queries/switch.ts'
import { freeswitchSetup } from './setup/setup.ts'

export interface FreeswitchService
  extends Pick<LookupParts, 'directory' | 'clock' | 'onDecision'>,
    Omit<MountParts, 'answer'>,
    Pick<FollowerParts, 'place' | 'onTrouble' | 'onCommandRefused'> {}

/**
 * Serves what FreeSWITCH requests and posts over HTTP, and the commands to it. The token is also the key of the
 * gateways' marks.
 */
function serve(service: FreeswitchService) {
  const now = (): number => performance.now()
  const live = liveCalls(now)
  const key = service.token
  const answer = lookupAnswers({ ...service, live, key, addresses: trunkAddresses() })
  return {
    mounts: freeswitchMounts({ ...service, answer }),
    follower: freeswitchFollower({ ...service, live, key, now }),
  }
}

/** Everything that the program uses of this adapter. */
export const freeswitch = { ask: freeswitchSwitch, serve, setup: freeswitchSetup }
