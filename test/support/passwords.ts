import type { Passwords } from '../../core/ports/accounts.ts'

/** Passwords without hashing cost, for tests of other things. */
export const cheapPasswords: Passwords = {
  hash: async password => `plain:${password}`,
  verify: async (hash, password) => hash === `plain:${password}`,
}
