import type { Profile } from '../../sms/profiles/schema.ts'

/** A profile, or why it cannot be used, as a sentence. */
export type Found = { readonly profile: Profile } | { readonly problem: string }

/** A profile to choose from, or a file that was meant to be one. */
export type Listed = Found & {
  readonly name: string
  /** The operator's file; null for a built-in profile. */
  readonly file: string | null
}

/** The providers' profiles: built-in ones and the operator's own. */
export interface Profiles {
  named(name: string): Found
  all(): readonly Listed[]
}
