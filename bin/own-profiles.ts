import { profileFiles } from '../adapters/system/profile-files.ts'
import type { Settings } from '../config/settings.ts'
import type { Profiles } from '../core/ports/messaging/profiles.ts'
import { profilesWith } from '../core/sms/profiles/shelf.ts'

/** The built-in profiles, and those in the folder of the settings. */
export const ownProfiles = ({ profiles_dir }: Pick<Settings, 'profiles_dir'>): Profiles =>
  profilesWith(() => profileFiles(profiles_dir))
