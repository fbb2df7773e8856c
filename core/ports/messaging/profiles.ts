import type { Profile } from '../../sms/profiles/schema.ts'

/** A profile, or why there is none that can be used, as a sentence. */
export type Found = { readonly profile: Profile } | { readonly problem: string }

/** A profile that is there to be chosen, or a file that was meant to be one. */
export type Listed = Found & {
  readonly name: string
  /** The operator's file; null for what is built in. */
  readonly file: string | null
}

/** The profiles of providers: those that are built in, and the operator's own. */
export interface Profiles {
  named(name: string): Found
  all(): readonly Listed[]
}
