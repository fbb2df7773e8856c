import type { Profile } from '../sms/profiles/schema.ts'

/** A profile, or why there is none that can be used, as a sentence. */
export type Found = { readonly profile: Profile } | { readonly problem: string }

/** The profiles of providers: those that are built in, and the operator's own. */
export interface Profiles {
  named(name: string): Found
}
