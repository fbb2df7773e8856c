import { Command, Option } from 'commander'
import { AUDIT_ACTIONS, type AuditEntry, type Changes } from '../../../../core/audit.ts'
import type { AuditFilter } from '../../../../core/ports/audit.ts'
import { resourceNamed, resources } from '../../../../core/resources/all.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import type { Lookup } from '../../../../core/use-cases/records/lookup.ts'
import { latestInTrail } from '../../../../core/use-cases/records/trail.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { idsOf, naming } from '../../naming/references.ts'
import { suggests } from '../../naming/suggestions.ts'
import { periodFrom, periodOptions } from '../../period.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { assertColumns, printValue } from '../../terminal/output.ts'
import { wholeNumber } from '../../terminal/whole-number.ts'

const LIMIT = 50

const AUDITED = [
  ...resources.map(({ name }) => name),
  'sms_routes',
  'trunk_routes',
  'accounts',
  'decks',
  'quarantine',
  'calls',
  'database',
]

export async function auditCommand(run: RunCommand): Promise<Command> {
  const group = new Command('audit').description('who changed what, and when')
  const list = periodOptions(new Command('list').description('list changes, latest first'), 'changes made')
    .option('--by <who>', "an account's e-mail, or a user of this system")
    .addOption(suggests(new Option('--action <action>', AUDIT_ACTIONS.join(', ')), AUDIT_ACTIONS))
    .addOption(suggests(new Option('--resource <name>', 'such as tenants, rates, sms_gateways, accounts'), AUDITED))
    .option('--record <name|id>', 'the record with this id, or one that had this name, such as acme/101')
    .option('--security', 'only logins, refusals, accounts, backups and secrets')
    .option('--limit <n>', `the most to show (default: ${LIMIT})`)
  example(
    list,
    'trunkline audit list --resource tenants --since 2026-10-01',
    'trunkline audit list --record acme/101',
    'trunkline audit list --security',
  )
  group.addCommand(
    run(takesFields(list), async (context, _words, flags) => {
      assertColumns(context)
      const services = await context.open()
      const limit = wholeNumber('--limit', flags['limit'] ?? LIMIT)
      const { shown: entries } = await latestInTrail(services, await filterFrom(flags, services.records), limit)
      const rows = entries.map(entry => ({ ...entry }))
      const nameOf = naming(services.records)
      const lines =
        context.options.output === 'table' ? await Promise.all(entries.map(entry => linesOf(entry, nameOf))) : []
      await printValue(context, rows, () => lines.flat())
    }),
  )
  return group
}

/** Returns one of the trail's names; any other would only find nothing. */
function named<const T extends string>(what: string, names: readonly T[], value: unknown): T | undefined {
  const found = names.find(name => name === value)
  if (value !== undefined && !found)
    throw new CliError(EXIT.usage, `there is no ${what} ${String(value)}; there are ${names.join(', ')}`)
  return found
}

async function filterFrom(flags: Flags, records: Lookup): Promise<AuditFilter> {
  const action = named('action', AUDIT_ACTIONS, flags['action'])
  const resource = named('resource', AUDITED, flags['resource'])
  return {
    ...periodFrom(flags),
    ...(typeof flags['by'] === 'string' ? { actor: flags['by'] } : {}),
    ...(action ? { action } : {}),
    ...(flags['security'] === true ? { security: true } : {}),
    ...(resource ? { resource } : {}),
    ...(flags['record'] === undefined ? {} : await recordNamed(String(flags['record']).trim(), resource, records)),
  }
}

const ID = /^(?:id:)?([1-9]\d{0,14})$/

/** Finds by the name in the trail, and by the id of the record that has that name now, but may have had another one. */
async function recordNamed(
  text: string,
  name: string | undefined,
  records: Lookup,
): Promise<Pick<AuditFilter, 'recordId' | 'recordName'>> {
  const id = ID.exec(text)?.[1]
  if (id !== undefined) return { recordId: Number(id), ...(text === id ? { recordName: text } : {}) }
  const resource = resources.find(each => each.name === name)
  const [found] = resource ? await idsOf(records, resource, text) : []
  return { recordName: text, ...(found === undefined ? {} : { recordId: found }) }
}

type NameOf = ReturnType<typeof naming>

/** Formats a value for a person: a reference as the name of its record. */
async function shown(resource: Resource | undefined, field: string, value: unknown, nameOf: NameOf): Promise<string> {
  const to = resource?.fields[field]?.references?.to
  if (typeof to === 'string' && typeof value === 'number') return nameOf(resourceNamed(to), value)
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

async function change(entry: AuditEntry, field: string, what: Changes[string], nameOf: NameOf): Promise<string> {
  const resource = resources.find(({ name }) => name === entry.resource)
  const text = (value: unknown): Promise<string> => shown(resource, field, value, nameOf)
  if (typeof what !== 'object') return `${field}: ${await text(what)}`
  if (!('before' in what)) return `${field}: ${await text(what.after)}`
  const before = await text(what.before)
  return 'after' in what ? `${field}: ${before} -> ${await text(what.after)}` : `${field}: was ${before}`
}

async function linesOf(entry: AuditEntry, nameOf: NameOf): Promise<string[]> {
  const { at, actor, origin, action, resource, record_id, record_name, changes } = entry
  const record = record_name === null ? (record_id ?? '') : `${record_name} (id ${record_id})`
  const what = await Promise.all(Object.entries(changes).map(([field, value]) => change(entry, field, value, nameOf)))
  return [`${at}  ${actor} (${origin})  ${action} ${resource} ${record}`.trimEnd(), ...what.map(text => `    ${text}`)]
}
