import { quoted } from '../../command-line.ts'
import type { Check } from '../check.ts'

/** Can anybody log in? */
export const accounts: Check = {
  about: 'accounts',
  async *examine(patient) {
    const { accounts } = await patient.open()
    const all = await accounts.list()
    if (all.some(({ disabled }) => !disabled)) return
    const known = all.find(({ role }) => role === 'admin') ?? all[0]
    yield {
      kind: 'no_account',
      finding: 'no account can log in',
      fix: known
        ? `trunkline admin enable ${quoted(known.email)}`
        : 'trunkline admin create admin@example.com --random-password',
    }
  },
}
