import { LIMIT_REACHED } from '../../../../core/use-cases/calls/limit-watch.ts'
import { quoted } from '../../command-line.ts'
import type { Check } from '../check.ts'

/** The command that helps with each notice of the daemon. */
const FIXES: Readonly<Record<string, (subject: string) => string>> = {
  untrusted_proxy: () => 'trunkline config show',
  [LIMIT_REACHED]: subject => callsOf(subject),
}

/** Returns the command that lists the calls behind a reached limit: `cost_per_day acme/101`. */
function callsOf(subject: string): string {
  const [tenant = '', extension] = subject.slice(subject.indexOf(' ') + 1).split('/')
  const of = extension === undefined ? '' : ` --extension ${quoted(`${tenant}/${extension}`)}`
  return `trunkline cdr list --tenant ${quoted(tenant)}${of} --limit 20`
}

/** Reports what the daemon noticed while it ran. */
export const notices: Check = {
  about: 'what the daemon noticed',
  async *examine(patient) {
    const { notices } = await patient.open()
    for (const { code, subject, detail, lastAt } of await notices.list())
      yield {
        kind: code,
        finding: `${detail} (last noticed ${lastAt})`,
        fix: FIXES[code]?.(subject) ?? 'trunkline status',
      }
  },
}
