import { systemClock } from './clock.ts'
import { digestOf, nodeDigests, shortHash } from './digests.ts'
import { randomIds } from './ids.ts'
import { profileFiles } from './profile-files.ts'

/** Everything that the programs use of this adapter. */
export const system = {
  clock: systemClock,
  digests: nodeDigests,
  shortHash,
  digestOf,
  ids: randomIds,
  profileFiles,
  /** The library takes long to load. */
  passwords: async () => (await import('./passwords.ts')).argonPasswords(),
}
