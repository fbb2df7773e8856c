import { Command, Option } from 'commander'
import { AUDIT_ACTIONS, type AuditEntry, type Changes } from '../../core/audit.ts'
import { resources } from '../../core/resources/all.ts'
import { CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { example } from './help.ts'
import { assertColumns, printValue } from './output.ts'
import { periodFrom, periodOptions } from './period.ts'
import { type RunCommand, takesFields } from './program.ts'
import { suggests } from './suggestions.ts'
import { wholeNumber } from './whole-number.ts'

const LIMIT = 50

const AUDITED = [...resources.map(({ name }) => name), 'accounts', 'quarantine']

export async function auditCommand(run: RunCommand): Promise<Command> {
  const group = new Command('audit').description('who changed what, and when')
  const list = periodOptions(new Command('list').description('the changes that fit, the latest first'), 'changes made')
    .option('--by <who>', 'an e-mail or a user of this system')
    .addOption(suggests(new Option('--action <action>', AUDIT_ACTIONS.join(', ')), AUDIT_ACTIONS))
    .addOption(suggests(new Option('--resource <name>', 'such as tenants, rates, sms_gateways, accounts'), AUDITED))
    .option('--record <id>', 'the record with this id')
    .option('--limit <n>', `at most so many (${LIMIT} unless given)`)
  example(list, 'trunkline audit list --resource tenants --since 2026-10-01')
  group.addCommand(
    run(takesFields(list), async (context, _words, flags) => {
      assertColumns(context)
      const { audit } = await context.open()
      const entries: AuditEntry[] = []
      const limit = wholeNumber('--limit', flags['limit'] ?? LIMIT)
      for await (const entry of audit.list(filterFrom(flags))) {
        entries.push(entry)
        if (entries.length >= limit) break
      }
      const rows = entries.map(entry => ({ ...entry }))
      await printValue(context, rows, () => entries.map(line).join(''))
    }),
  )
  return group
}

/** One of the names that the trail has; another would only find nothing. */
function named<const T extends string>(what: string, known: readonly T[], given: unknown): T | undefined {
  const found = known.find(name => name === given)
  if (given !== undefined && !found)
    throw new CliError(EXIT.usage, `there is no ${what} ${String(given)}; there are ${known.join(', ')}`)
  return found
}

function filterFrom(flags: Flags) {
  const action = named('action', AUDIT_ACTIONS, flags['action'])
  const resource = named('resource', AUDITED, flags['resource'])
  return {
    ...periodFrom(flags),
    ...(typeof flags['by'] === 'string' ? { actor: flags['by'] } : {}),
    ...(action ? { action } : {}),
    ...(resource ? { resource } : {}),
    ...(flags['record'] === undefined ? {} : { recordId: wholeNumber('--record', flags['record']) }),
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

function change(name: string, what: Changes[string]): string {
  if (typeof what !== 'object') return `${name}: ${what}`
  if (!('before' in what)) return `${name}: ${shown(what.after)}`
  return 'after' in what
    ? `${name}: ${shown(what.before)} -> ${shown(what.after)}`
    : `${name}: was ${shown(what.before)}`
}

function line({ at, actor, origin, action, resource, record_id, changes }: AuditEntry): string {
  const what = Object.entries(changes).map(([name, value]) => `    ${change(name, value)}\n`)
  return `${at}  ${actor} (${origin})  ${action} ${resource}${record_id === null ? '' : ` ${record_id}`}\n${what.join('')}`
}
