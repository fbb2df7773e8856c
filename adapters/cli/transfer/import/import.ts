import type { Readable } from 'node:stream'
import { TENANT } from '../../../../core/resources/references/within.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { inFiles, keepsPlace } from '../../../../core/use-cases/records/import.ts'
import { type Context, type Services, say } from '../../context.ts'
import { again, CliError, EXIT, withMore } from '../../exit.ts'
import { warnOfSecret } from '../../fields.ts'
import { mayBeShared } from '../../naming/same-key.ts'
import { tenantMeant } from '../../naming/tenant-argument.ts'
import { makingRoom } from '../../remedies.ts'
import { sayHint } from '../../terminal/report.ts'
import { writeJson } from '../../terminal/streams.ts'
import { counted, grouped } from '../../terminal/whole-number.ts'
import { Input } from './input/input.ts'
import { openSource } from './input/source.ts'
import { formatOf, type ImportOptions } from './options.ts'
import { resuming } from './place.ts'
import { assertReplaceable, replacingOf, tellReplaced } from './replace.ts'
import { assertRejectFile } from './report.ts'
import type { CellRules } from './rows/cells.ts'
import { constantsOf, targetsOf } from './rows/columns.ts'
import type { Fixed } from './rows/evaluate.ts'
import { namesIn } from './rows/names.ts'
import { type Run, runImport } from './run.ts'
import type { ImportSummary } from './summary.ts'

export interface Source {
  /** What messages call it: a path, or `-`. */
  readonly name: string
  readonly stream: Readable
  /** How long it is, where that is known. */
  readonly bytes?: number
}

/** A file that is longer has hundreds of records at least. */
const MANY_BYTES = 65_536

/**
 * Imports records from a stream. Errors in the data are reported in the summary, on standard error, and by
 * `exitCodeOf`; what cannot be begun or must be stopped is thrown. `signal` stops between two batches.
 */
export async function importRecords(
  resource: Resource,
  source: Source,
  options: ImportOptions,
  context: Context,
  signal?: AbortSignal,
): Promise<ImportSummary> {
  assertSensible(resource, options)
  if (options.rejectFile !== undefined) assertRejectFile(options.rejectFile)
  const services = await context.open({ expectsMany: (source.bytes ?? 0) > MANY_BYTES })
  const format = formatOf(options.format, source.name)
  const rules: CellRules = { isText: format === 'csv', decimalComma: options.decimalComma, force: options.force }
  const declared = inFiles(resource)
  const targets = targetsOf(declared, options.map)
  const tenant = await tenantOf(resource, options, services)
  const constants = constantsOf(declared, options.set, rules)
  for (const name of Object.keys(constants))
    if (declared.fields[name]?.secret) warnOfSecret(context, `--set ${name}=`, 'give it in a column')
  if (tenant && Object.hasOwn(constants, tenant.field))
    throw new CliError(EXIT.usage, `--tenant and --set ${tenant.field} say the same thing`)
  const input = await Input.open(source.name, source.stream, signal)
  const isOwn = tenant !== null && resource.fields[tenant.field] !== undefined
  const within = tenant === null || isOwn ? {} : { [tenant.field]: tenant.value }
  const names = namesIn(services.records, within)
  const plan = { resource: declared, targets, constants, fixed: isOwn ? tenant : null, within, rules, names }
  const opened = await openSource(input, format, plan, options)
  const replacing = await replacingOf(options, tenant, services)
  const run: Run = {
    resource,
    input,
    format,
    options,
    services,
    context,
    opened,
    tenant,
    replacing,
    names,
    signal,
    bytes: source.bytes,
    stopInput: () => void source.stream.destroy(),
  }
  const summary = await runImport(run)
  const isPending = replacing !== null && replacing.effectiveAt !== null && !replacing.isPast
  await tell(resource, summary, options, context, isPending)
  if (replacing && isStored(summary, options)) await tellReplaced(context, replacing, services)
  if (tenant && context.options.output !== 'json') await tellLimit(resource, summary, tenant, context)
  return summary
}

const isStored = (
  { rejected, created, updated, removed }: ImportSummary,
  { dryRun, effective }: ImportOptions,
): boolean => !dryRun && rejected === 0 && (effective !== undefined || created + updated + removed > 0)

function assertSensible(resource: Resource, options: ImportOptions): void {
  const { resume, mode, allowDuplicates } = options
  assertReplaceable(resource, options)
  const isPlaced = keepsPlace(resource)
  if (resume && !isPlaced)
    throw new CliError(EXIT.usage, `an import of ${resource.plural} is all or nothing: there is nothing to resume`)
  if (isPlaced && mode !== 'insert')
    throw new CliError(EXIT.usage, `${resource.plural} have no natural key, so --mode ${mode} cannot find them`)
  if (allowDuplicates && mode !== 'insert')
    throw new CliError(EXIT.usage, '--allow-duplicates works only with --mode insert')
}

/** What --tenant says of each record. */
async function tenantOf(resource: Resource, { tenant }: ImportOptions, { records }: Services): Promise<Fixed | null> {
  if (tenant === undefined) return null
  return { field: TENANT, value: await tenantMeant(records, resource, tenant), named: tenant, flag: '--tenant' }
}

async function tell(
  resource: Resource,
  summary: ImportSummary,
  { mode, onError }: ImportOptions,
  context: Context,
  isPending: boolean,
): Promise<void> {
  if (context.options.output === 'json') {
    return writeJson(context.io, `${JSON.stringify(summary)}\n`)
  }
  const { rows, rejected, warned, blank, blank_lines, seconds, dry_run } = summary
  const verb = dry_run ? 'would be ' : isPending ? 'to be ' : ''
  const outcome = (['created', 'updated', 'unchanged', 'removed', 'skipped'] as const)
    .filter(name => summary[name] > 0 || name === 'created')
    .map(name => `${grouped(summary[name])} ${name === 'unchanged' ? '' : verb}${name}`)
  const known = keepsPlace(resource) && summary.skipped > 0 ? ', since they are stored already' : ''
  const lines = blank > blank_lines.length ? `${blank_lines.join(', ')} …` : blank_lines.join(', ')
  const details = [
    `${counted(rows, 'row')}: ${outcome.join(', ')}${known}`,
    `${grouped(rejected)} rejected`,
    ...(warned > 0 ? [`${grouped(warned)} with a warning`] : []),
    ...(blank > 0 ? [`${grouped(blank)} blank (line ${lines})`] : []),
  ]
  say(context, `${summary.source}: ${details.join(', ')}; ${seconds.toFixed(1)} s`)
  if (onError === 'stop' && rejected > 0 && summary.errors.length + summary.more_errors > 0)
    await tellStopped(resource, summary, context)
  await tellMeant(summary, context)
  if (mode === 'insert') await tellTaken(resource, summary, context)
}

async function tellStopped(
  resource: Resource,
  { created, skipped, dry_run }: ImportSummary,
  context: Context,
): Promise<void> {
  const stored = keepsPlace(resource) ? created + skipped : created
  if (stored === 0) {
    const nothing = dry_run ? 'nothing would be imported' : 'nothing was imported'
    say(context, `${nothing}: correct the rows, or keep the good ones with --on-error continue`)
  } else if (keepsPlace(resource) && !dry_run) {
    say(context, `${grouped(stored)} records are stored; correct the rejected rows, then import the rest`)
    await sayHint(context, resuming)
  }
}

/** What columns that do not exist may be, each field once; not once records are stored, which would come again. */
async function tellMeant({ errors, created }: ImportSummary, context: Context): Promise<void> {
  const columns = new Map<string, string>()
  for (const { rule, field, detail } of errors)
    if (rule === 'unknown' && detail?.meant !== undefined && !columns.has(String(detail.meant)))
      columns.set(String(detail.meant), field)
  if (columns.size === 0 || created > 0) return
  await sayHint(context, withMore(...[...columns].flatMap(([field, column]) => ['--map', `${column}=${field}`])))
}

/** How to make room where the limit of the one tenant was reached. */
async function tellLimit(
  resource: Resource,
  { errors, more_errors }: ImportSummary,
  { value }: Fixed,
  context: Context,
): Promise<void> {
  const refused = errors.filter(({ rule }) => rule === 'limit').length
  if (refused === 0) return
  const { records } = await context.open()
  const hint = await makingRoom(records, resource, value, refused + more_errors)
  if (hint !== undefined) await sayHint(context, hint)
}

/** What can be done about records that have the same key: as one that is stored, or as each other. */
async function tellTaken(resource: Resource, summary: ImportSummary, context: Context): Promise<void> {
  if (keepsPlace(resource)) return
  const { errors, created, more_errors } = summary
  const stored = errors.filter(({ rule }) => rule === 'taken')
  const twice = errors.filter(({ rule }) => rule === 'repeated')
  if (stored.length > 0) say(context, '--mode upsert changes records that exist, --mode skip leaves them alone')
  // Repeating the command would store the same records twice, or fail for another reason.
  const isAll = created === 0 && more_errors === 0 && stored.length + twice.length === errors.length
  if (isAll && twice.length > 0 && mayBeShared(resource)) await sayHint(context, again('--allow-duplicates'))
  else if (isAll && stored.length > 0) await sayHint(context, again('--mode', 'upsert'))
}
