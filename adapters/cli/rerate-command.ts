import { Command } from 'commander'
import { formatAmount } from '../../core/amounts.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Rerated, RerateQuery, RerateResult } from '../../core/ports/calls.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { type Context, type Services, say } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import { printValue } from './output.ts'
import { periodFrom, periodOptions } from './period.ts'
import { example, type RunCommand } from './program.ts'
import { resolve } from './references.ts'
import { printable } from './styles.ts'

/** So many changes are told one by one. */
const SHOWN = 20

export function rerateCommand(run: RunCommand): Command {
  const command = periodOptions(
    new Command('rerate').description("rate a tenant's calls anew by its present rates; what was is kept"),
    'calls that began',
  )
    .requiredOption('--tenant <SLUG|ID>', 'the tenant')
    .option('--unrated', 'only calls that no rate matched, or one by which the cost is too large')
    .option('--dry-run', 'only say what would change')
    .option('-y, --yes', 'without asking')
  example(command, 'trunkline cdr rerate --tenant acme --since 2026-10-01 --until 2026-11-01 --unrated --dry-run')
  return run(command, async (context, _words, flags) => {
    const { records, calls } = await context.open()
    const query = {
      ...periodFrom(flags),
      tenantId: await resolve(records, tenants, String(flags['tenant'])),
      unratedOnly: flags['unrated'] === true,
    }
    const dryRun = flags['dryRun'] === true
    if (!dryRun && !flags['yes']) await mustBeConfirmed(context, calls, query)
    const result = await calls.rerate(query, { dryRun, sample: SHOWN })
    await printValue(context, asJson(result, dryRun), () => told(result, dryRun))
    if (dryRun) say(context, 'Nothing was changed; do it with --yes in place of --dry-run.')
  })
}

async function mustBeConfirmed(context: Context, calls: Services['calls'], query: RerateQuery): Promise<void> {
  if (!context.options.interactive)
    throw new CliError(
      EXIT.usage,
      'changing what calls cost must be confirmed: look with --dry-run, then repeat the command with --yes',
      again('--dry-run'),
    )
  const { changed, examined, oldCost, newCost } = await calls.rerate(query, { dryRun: true, sample: 0 })
  const { confirm } = await import('./ask.ts')
  const question = `Change ${changed} of ${examined} calls, from ${formatAmount(oldCost)} to ${formatAmount(newCost)}?`
  if (!(await confirm(context, question))) throw new CliError(EXIT.negative, 'nothing was changed')
}

const asJson = ({ examined, changed, oldCost, newCost, stillUnrated, changes }: RerateResult, dryRun: boolean) => ({
  dry_run: dryRun,
  examined,
  changed,
  old_cost: formatAmount(oldCost),
  new_cost: formatAmount(newCost),
  still_unrated: stillUnrated,
  changes: changes.map(changeAsJson),
})

const changeAsJson = ({ id, destination_number, started_at, old, new: now }: Rerated): JsonObject => ({
  id,
  destination_number,
  started_at,
  old_cost: formatAmount(old.cost),
  new_cost: formatAmount(now.cost),
  old_bill_seconds: old.billSeconds,
  new_bill_seconds: now.billSeconds,
  old_prefix: old.prefix,
  new_prefix: now.prefix,
})

function told({ examined, changed, oldCost, newCost, stillUnrated, changes }: RerateResult, dryRun: boolean): string {
  const line = ({ id, destination_number, started_at, old, new: now }: Rerated): string =>
    printable(
      `${id}  ${started_at.slice(0, 19)}Z  ${destination_number}  ${formatAmount(old.cost)} -> ${formatAmount(now.cost)}  by ${now.prefix ?? 'no rate'}`,
    )
  return [
    ...changes.map(line),
    ...(changed > changes.length ? [`… and ${changed - changes.length} more`] : []),
    `${dryRun ? 'would change' : 'changed'} ${changed} of ${examined} calls: ${formatAmount(oldCost)} -> ${formatAmount(newCost)}`,
    ...(stillUnrated > 0 ? [`still unrated: ${stillUnrated}`] : []),
    '',
  ].join('\n')
}
