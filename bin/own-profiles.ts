import { system } from '../adapters/system/system.ts'
import type { Settings } from '../config/settings.ts'
import type { Profiles } from '../core/ports/messaging/profiles.ts'
import { profilesWith } from '../core/sms/profiles/collection.ts'

/** The built-in profiles, and those in the folder of the settings. */
export const ownProfiles = ({ profiles_dir }: Pick<Settings, 'profiles_dir'>): Profiles =>
  profilesWith(() => system.profileFiles(profiles_dir))
