import type { Check } from '../check.ts'

/** The command that helps with what the daemon noticed. */
const FIXES: Readonly<Record<string, string>> = {
  untrusted_proxy: 'trunkline config show',
}

/** What the daemon noticed while it ran. */
export const notices: Check = {
  about: 'what the daemon noticed',
  async *examine(patient) {
    const { notices } = await patient.open()
    for (const { code, detail, lastAt } of await notices.list())
      yield { kind: code, finding: `${detail} (last noticed ${lastAt})`, fix: FIXES[code] ?? 'trunkline status' }
  },
}
