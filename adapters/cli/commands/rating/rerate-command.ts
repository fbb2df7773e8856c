import { Command } from 'commander'
import { formatAmount } from '../../../../core/amounts.ts'
import { counted } from '../../../../core/format-count.ts'
import { stringifyJson } from '../../../../core/json.ts'
import type { Rerated, RerateOptions, RerateResult } from '../../../../core/ports/calls.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { changeShown, rerateCalls, rerateShown } from '../../../../core/use-cases/calls/rerate.ts'
import { type Context, type Output, say } from '../../context.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import { periodFrom, tenantPeriodOptions } from '../../period.ts'
import type { RunCommand } from '../../program.ts'
import { cell } from '../../terminal/json-values.ts'
import { csvLine, isAskedFor } from '../../terminal/output.ts'
import { writeCsv, writeJson, writeLines } from '../../terminal/streams.ts'

/** Changes shown to a person one by one. */
const SHOWN = 20

export function rerateCommand(run: RunCommand): Command {
  const command = tenantPeriodOptions(
    tenantArgument(
      new Command('rerate').description(
        "rate a tenant's calls again, each by the rates in force when it started; the old ratings are kept",
      ),
    ),
    'calls that began',
  )
    .option('--unrated', 'only unrated calls: those that no rate matched, or whose cost would be too large')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask')
  example(command, 'trunkline cdr rerate --tenant acme --since 2026-10-01 --until 2026-11-01 --unrated --dry-run')
  return run(command, async (context, words, flags) => {
    const { tenant } = await tenantFrom(context, words, flags)
    const services = await context.open()
    const request = {
      tenantId: await resolve(services.records, tenants, tenant),
      period: (timeZone: string) => periodFrom(flags, timeZone),
      unratedOnly: flags['unrated'] === true,
    }
    const rerating = (options: RerateOptions) => rerateCalls(services, request, options)
    const dryRun = flags['dryRun'] === true
    if (!dryRun && !flags['yes'] && !(await isConfirmed(context, rerating))) return
    if (context.options.output === 'table') {
      const result = await rerating({ dryRun, sample: SHOWN })
      if (dryRun || isAskedFor(context)) await writeLines(context.io, resultLines(result, dryRun))
    } else await printAll(context, rerating, dryRun)
    if (dryRun) say(context, 'Nothing was changed; to change it, use --yes instead of --dry-run.')
  })
}

type Rerating = (options: RerateOptions) => Promise<RerateResult>

/** Asks a person; false where there is nothing to ask about. */
async function isConfirmed(context: Context, rerating: Rerating): Promise<boolean> {
  if (!context.options.interactive)
    throw new CliError(
      EXIT.usage,
      'changing what calls cost must be confirmed: look with --dry-run, then repeat the command with --yes',
      again('--dry-run'),
    )
  const result = await rerating({ dryRun: true, sample: 0 })
  const { changed, examined, oldCost, newCost, editedByHand } = result
  if (changed === 0) {
    say(context, ...totals(result, true))
    return false
  }
  const { confirm } = await import('../../terminal/ask.ts')
  const byHand = editedByHand > 0 ? ` (${editedByHand} of them ${BY_HAND})` : ''
  const question = `Change ${changed} of ${counted(examined, 'call')}${byHand}, from ${formatAmount(oldCost)} to ${formatAmount(newCost)}?`
  if (!(await confirm(context, question))) throw new CliError(EXIT.negative, 'nothing was changed')
  return true
}

/** Every change as it comes; what they make together follows, as JSON's last members or on standard error. */
async function printAll(context: Context, rerating: Rerating, dryRun: boolean): Promise<void> {
  const { io, options } = context
  const write = options.output === 'csv' ? writeCsv : writeJson
  let count = 0
  const texts = (changes: readonly Rerated[]): string =>
    changes.map(change => textOf(options.output, change, count++ === 0)).join('')
  const result = await rerating({ dryRun, sample: 0, onChanges: changes => write(io, texts(changes)) })
  if (options.output === 'csv' && count === 0) await writeCsv(io, csvLine(COLUMNS))
  if (options.output !== 'json') return say(context, ...totals(result, dryRun))
  const members = Object.entries(rerateShown(result, dryRun))
  const tail = members.map(([name, value]) => `,\n  "${name}": ${stringifyJson(value)}`).join('')
  await writeJson(io, `${count > 0 ? '\n  ]' : '{\n  "changes": []'}${tail}\n}\n`)
}

function textOf(output: Output, change: Rerated, isFirst: boolean): string {
  const shown = changeShown(change)
  if (output === 'csv') return (isFirst ? csvLine(COLUMNS) : '') + csvLine(COLUMNS.map(name => cell(shown[name])))
  const json = stringifyJson(shown)
  return output === 'ndjson' ? `${json}\n` : `${isFirst ? '{\n  "changes": [' : ','}\n    ${json}`
}

const COLUMNS = [
  'id',
  'destination_number',
  'started_at',
  'old_cost',
  'new_cost',
  'old_bill_seconds',
  'new_bill_seconds',
  'old_prefix',
  'new_prefix',
  'old_direction',
  'new_direction',
  'edited_by_hand',
] as const satisfies readonly (keyof ReturnType<typeof changeShown>)[]

const BY_HAND = 'edited by hand'

function resultLines({ changes, ...result }: RerateResult, dryRun: boolean): string[] {
  const line = ({ id, destination_number, started_at, old, new: now, editedByHand }: Rerated): string =>
    `${id}  ${started_at.slice(0, 19)}Z  ${destination_number}  ${formatAmount(old.cost)}${editedByHand ? ` (${BY_HAND})` : ''} -> ${formatAmount(now.cost)}  ${now.direction === 'inbound' ? 'inbound' : `by ${now.prefix ?? 'no rate'}`}`
  const more = result.changed - changes.length
  return [
    ...changes.map(line),
    ...(more > 0 ? [`… and ${more} more (see --output csv)`] : []),
    ...totals(result, dryRun),
  ]
}

const totals = (result: Omit<RerateResult, 'changes'>, dryRun: boolean): string[] => [
  `${dryRun ? 'would change' : 'changed'} ${result.changed} of ${counted(result.examined, 'call')}: ${formatAmount(result.oldCost)} -> ${formatAmount(result.newCost)}`,
  ...(result.editedByHand > 0 ? [`of which ${BY_HAND}: ${result.editedByHand}`] : []),
  ...(result.stillUnrated > 0 ? [`still unrated: ${result.stillUnrated}`] : []),
  ...(result.withoutDeck > 0
    ? [`unchanged, since the rates of their time are no longer kept: ${result.withoutDeck}`]
    : []),
]
