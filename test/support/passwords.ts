import type { Passwords } from '../../core/ports/accounts.ts'

/** Passwords that cost nothing, for tests that are about something else. */
export const cheapPasswords: Passwords = {
  hash: async password => `plain:${password}`,
  verify: async (hash, password) => hash === `plain:${password}`,
}
