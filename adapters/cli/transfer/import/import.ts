import type { Readable } from 'node:stream'
import { counted, grouped } from '../../../../core/format-count.ts'
import { TENANT } from '../../../../core/resources/references/within.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { formatOf } from '../../../../core/transfer/formats.ts'
import { assertSensible, importText, planImport } from '../../../../core/transfer/import.ts'
import { keepsPlace } from '../../../../core/transfer/imported-resource.ts'
import type { ImportOptions } from '../../../../core/transfer/options.ts'
import type { Fixed } from '../../../../core/transfer/rows/evaluate.ts'
import { hasErrors, type ImportOutcome } from '../../../../core/transfer/summary.ts'
import { type Context, type Services, say, warnOfSecret } from '../../context.ts'
import { again, CliError, EXIT, withMore } from '../../exit.ts'
import { mayBeShared } from '../../naming/same-key.ts'
import { tenantMeant } from '../../naming/tenant-argument.ts'
import { makingRoom } from '../../remedies.ts'
import { sayHint } from '../../terminal/report.ts'
import { writeErrors, writeJson } from '../../terminal/streams.ts'
import { reported } from './ending.ts'
import { FLAGS, resuming } from './guide.ts'
import type { CommandOptions } from './options.ts'
import { assertRejectFile } from './reject-file.ts'
import { tellReplaced } from './replace.ts'
import { watching } from './watching.ts'

export interface Source {
  /** What messages call it: a path, or `-`. */
  readonly name: string
  readonly stream: Readable
  /** Its length, if known. */
  readonly bytes?: number
}

/** A longer file has at least hundreds of records. */
const MANY_BYTES = 65_536

/** The outcome of an import, and how long it took. */
export interface ImportSummary extends ImportOutcome {
  readonly seconds: number
}

/** Returns the exit code of a summary. */
export const exitCodeOf = (summary: ImportSummary): number => (hasErrors(summary) ? EXIT.data : EXIT.ok)

/** An import as a command asks for it. */
export interface ImportRequest {
  readonly resource: Resource
  readonly source: Source
  readonly options: CommandOptions
  readonly context: Context
  /** Stops it between two batches. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Imports records from a stream. Reports errors in the data in the summary, on standard error, and by `exitCodeOf`;
 * throws if it cannot begin or must stop.
 */
export async function importRecords(request: ImportRequest): Promise<ImportSummary> {
  try {
    return await imported(request)
  } catch (error) {
    throw reported(error, request.source.name, request.signal)
  }
}

async function imported({ resource, source, options, context, signal }: ImportRequest): Promise<ImportSummary> {
  assertSensible(resource, options, FLAGS)
  if (options.yes && options.mode !== 'replace')
    throw new CliError(EXIT.usage, '--yes works only with --mode replace', again('--mode', 'replace'))
  if (options.rejectFile !== undefined) assertRejectFile(options.rejectFile)
  const services = await context.open({ expectsMany: (source.bytes ?? 0) > MANY_BYTES })
  const tenant = await tenantOf(resource, options, services)
  const format = formatOf(options.format, source.name)
  const planned = planImport({ resource, options, format, tenant, guide: FLAGS })
  for (const name of Object.keys(planned.constants))
    if (resource.fields[name]?.secret) warnOfSecret(context, `--set ${name}=`, 'give it in a column')
  const input = await services.openText(source.name, source.stream, signal)
  const started = performance.now()
  const { watcher, clear } = watching(context, source, options)
  const { outcome, replacing } = await importText({ ...planned, input, ports: services, watcher, signal }).finally(
    clear,
  )
  const { more_errors } = outcome
  if (more_errors > 0 && context.options.output !== 'json') writeErrors(context.io, `… and ${more_errors} more`)
  const summary = { ...outcome, seconds: (performance.now() - started) / 1000 }
  const isPending = replacing !== null && replacing.effectiveAt !== null && !replacing.isPast
  await tell({ resource, options, context }, summary, isPending)
  if (replacing && isStored(summary, options)) await tellReplaced(context, replacing, services)
  if (tenant && context.options.output !== 'json') await tellLimit(resource, summary, tenant, context)
  return summary
}

const isStored = (
  { rejected, created, updated, removed }: ImportSummary,
  { dryRun, effective }: ImportOptions,
): boolean => !dryRun && rejected === 0 && (effective !== undefined || created + updated + removed > 0)

/** Returns the tenant of each record, from --tenant. */
async function tenantOf(resource: Resource, { tenant }: ImportOptions, { records }: Services): Promise<Fixed | null> {
  if (tenant === undefined) return null
  return { field: TENANT, value: await tenantMeant(records, resource, tenant), named: tenant, flag: '--tenant' }
}

async function tell(
  { resource, options, context }: Pick<ImportRequest, 'resource' | 'options' | 'context'>,
  summary: ImportSummary,
  isPending: boolean,
): Promise<void> {
  const { mode, onError } = options
  if (context.options.output === 'json') {
    return writeJson(context.io, `${JSON.stringify(summary)}\n`)
  }
  const { rows, rejected, warned, blank, blank_lines, seconds, dry_run } = summary
  const verb = dry_run ? 'would be ' : isPending ? 'to be ' : ''
  const outcome = (['created', 'updated', 'unchanged', 'removed', 'skipped'] as const)
    .filter(name => summary[name] > 0 || name === 'created')
    .map(name => `${grouped(summary[name])} ${name === 'unchanged' ? '' : verb}${name}`)
  const reason = keepsPlace(resource) && summary.skipped > 0 ? ', since they are stored already' : ''
  const lines = blank > blank_lines.length ? `${blank_lines.join(', ')} …` : blank_lines.join(', ')
  const details = [
    `${counted(rows, 'row')}: ${outcome.join(', ')}${reason}`,
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

/** Suggests names for unknown columns, each field once; not after records were stored, which would be stored again. */
async function tellMeant({ errors, created }: ImportSummary, context: Context): Promise<void> {
  const columns = new Map<string, string>()
  for (const { rule, field, detail } of errors)
    if (rule === 'unknown' && detail?.meant !== undefined && !columns.has(String(detail.meant)))
      columns.set(String(detail.meant), field)
  if (columns.size === 0 || created > 0) return
  await sayHint(context, withMore(...[...columns].flatMap(([field, column]) => ['--map', `${column}=${field}`])))
}

/** Tells how to make room if the one tenant's limit was reached. */
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

/** Tells what can be done about records with the same key as a stored one, or as each other. */
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
