import type { Check } from './check.ts'

/** Can anybody log in? */
export const accounts: Check = {
  about: 'accounts',
  async *examine(patient) {
    const { accounts } = await patient.open()
    if ((await accounts.list()).some(({ disabled }) => !disabled)) return
    yield {
      kind: 'no_account',
      finding: 'no account can log in',
      fix: 'trunkline admin create admin@example.com --random-password',
    }
  },
}
