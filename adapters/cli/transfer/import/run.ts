import { basename } from 'node:path'
import type { BulkCounts, BulkLoad, PlaceOf, Rejection } from '../../../../core/ports/bulk.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { keepsPlace, NO_COUNTS } from '../../../../core/use-cases/records/import.ts'
import { type Context, type Services, say } from '../../context.ts'
import { type Progress, progress } from '../../terminal/progress.ts'
import { grouped } from '../../terminal/whole-number.ts'
import { ahead } from './ahead.ts'
import { type Batch, type Reached, reachedIn, readBatches } from './batches.ts'
import { cutOff, interrupted } from './ending.ts'
import type { Input } from './input/input.ts'
import type { OpenedSource } from './input/source.ts'
import type { Format, ImportOptions } from './options.ts'
import { findPlace, fingerprintOf, goTo, type Mark } from './place.ts'
import { approvedBy, type Replacing } from './replace.ts'
import { type At, errorReport, openRejectFile, type RejectFile } from './report.ts'
import type { Fixed } from './rows/evaluate.ts'
import type { Names } from './rows/names.ts'
import { storedKeys } from './stored-keys.ts'
import type { ImportSummary } from './summary.ts'

export interface Run {
  readonly resource: Resource
  readonly input: Input
  readonly format: Format
  readonly options: ImportOptions
  readonly services: Services
  readonly context: Context
  readonly opened: OpenedSource
  /** The one that all records are of. */
  readonly tenant: Fixed | null
  /** The deck that is to be replaced, with that mode. */
  readonly replacing: Replacing | null
  readonly names: Names
  readonly signal: AbortSignal | undefined
  readonly bytes: number | undefined
  /** Ends the input where it is, even while more of it is waited for. */
  stopInput(): void
}

const SHOWN_BLANKS = 10

type Counts = { -readonly [K in keyof BulkCounts | 'rows' | 'warned' | 'blank']: number }

/** Reads all rows and stores them; see importRecords. */
export async function runImport(run: Run): Promise<ImportSummary> {
  const started = performance.now()
  const { resource, input, options, context, opened } = run
  const shown = progress(context, input.name, run.bytes)
  const report = errorReport(context, input.name, options.maxErrors, shown.clear)
  const counts: Counts = { rows: 0, ...NO_COUNTS, warned: 0, blank: 0 }
  const blankLines: number[] = []
  if (opened.errors.length > 0) report.add({ line: input.line === 1 ? 1 : input.line - 1 }, opened.errors)
  else {
    const place = await placeOf(run)
    if (place.mark) takeUp(context, place.mark, counts, blankLines)
    const rejects = openRejectFile(options.rejectFile, input.name, shapeOf(run), place.mark?.rejectBytes ?? null)
    const load = loadOf(run, place)
    try {
      await passRows({ ...run, shown, report, counts, blankLines, place, rejects, load })
    } finally {
      shown.clear()
      await load.close()
      rejects.close()
    }
  }
  report.end()
  return {
    resource: resource.name,
    source: input.name,
    dry_run: options.dryRun,
    ...counts,
    blank_lines: blankLines,
    errors: report.shown,
    more_errors: report.more,
    warnings: report.warnings,
    more_warnings: report.moreWarnings,
    seconds: (performance.now() - started) / 1000,
  }
}

const loadOf = (
  { resource, input, format, options, services, opened, tenant, replacing }: Run,
  { formerMark, before }: RunPlace,
): BulkLoad =>
  services.bulk.load({
    resource,
    columns: opened.reader.columns,
    constants: opened.constants,
    isSparse: format !== 'csv',
    mode: options.mode,
    ...(replacing ? { replacement: { tenantId: replacing.tenantId, effectiveAt: replacing.effectiveAt } } : {}),
    onRejection: options.onError === 'stop' ? 'store nothing' : 'leave it out',
    allowDuplicates: options.allowDuplicates,
    formerMark,
    before,
    ...(tenant && !resource.fields[tenant.field] ? { tenantId: Number(tenant.value) } : {}),
    noted: { file: basename(input.name), ...(tenant ? { [tenant.field]: Number(tenant.value) } : {}) },
  })

const shapeOf = ({ format, opened, options, input }: Run) => ({
  format,
  isMarked: format === 'csv' && (options.bom || input.hasMark),
  delimiter: opened.delimiter,
  newline: opened.newline,
  header: opened.header,
})

interface RunPlace {
  readonly key: string
  readonly mark: Mark | null
  /** As it is stored, whether the import goes on from there or not. */
  readonly formerMark: string | null
  /** The highest id there was when it began. */
  readonly before: number
  markAt(reached: Reached, counts: Counts, blankLines: readonly number[], rejectBytes: number, isDone: boolean): string
}

/** Where this import begins, and how it notes where it is. */
async function placeOf(run: Run): Promise<RunPlace> {
  const { resource, input, format, options, services, opened } = run
  const settings = [resource.name, format, opened.delimiter, options.map, opened.constants, options.decimalComma]
  const fingerprint = fingerprintOf(input.head, settings)
  const places = keepsPlace(resource) ? await services.bulk.places(resource) : []
  const found = findPlace(places, input, fingerprint, options.resume ?? (options.dryRun ? false : undefined))
  if (found) await passOver(run, found.mark)
  const { head } = found?.mark ?? fingerprint
  const key = found?.key ?? fingerprint.key
  const before = found?.mark.before ?? (await services.bulk.lastId(resource))
  return {
    key,
    before,
    formerMark: places.find(place => place.input === key)?.mark ?? null,
    mark: found?.mark ?? null,
    markAt: (reached, { rows, created, skipped, rejected, blank }, blankLines, rejectBytes, isDone) =>
      JSON.stringify({
        ...reached,
        head,
        options: fingerprint.options,
        before,
        rows,
        created,
        skipped,
        rejected,
        blank,
        blankLines,
        rejectBytes,
        isDone,
      } satisfies Mark),
  }
}

/** Passes over what is stored, which a signal meanwhile does not change. */
async function passOver(run: Run, mark: Mark): Promise<void> {
  try {
    await goTo(run.input, mark)
  } catch (error) {
    throw run.signal?.aborted ? interrupted({ ...run, counts: mark }, run.signal) : error
  }
}

/** Goes on from what an earlier run had come to. */
function takeUp(context: Context, mark: Mark, counts: Counts, blankLines: number[]): void {
  const { rows, created, skipped, rejected, blank } = mark
  Object.assign(counts, { rows, created, skipped, rejected, blank })
  blankLines.push(...mark.blankLines)
  say(context, `continuing after ${grouped(rows)} rows, ${grouped(created + skipped)} of which are already stored`)
}

interface Passing extends Run {
  readonly shown: Progress
  readonly report: ReturnType<typeof errorReport>
  readonly counts: Counts
  readonly blankLines: number[]
  readonly place: RunPlace
  readonly rejects: RejectFile
  readonly load: BulkLoad
}

/** While a batch is stored, the next is read and handed over. */
async function passRows(passing: Passing): Promise<void> {
  const { input, resource, shown, counts, place, load, options, signal } = passing
  const isWithin = place.mark !== null
  const withStoredKeys = storedKeys(passing.services.records, resource, passing.opened, options)
  const batches = readBatches(
    { ...passing, isWithin, withStoredKeys, keepsRaw: options.rejectFile !== undefined },
    () => load.batchSize,
  )
  /** Waits for no more input once that has failed. */
  const orStop = (work: Promise<void>): Promise<void> => {
    work.catch(passing.stopInput)
    return work
  }
  let reached = reachedIn(input)
  let stored = Promise.resolve()
  try {
    for await (const batch of ahead(batches)) {
      if (signal?.aborted) break
      await Promise.all([orStop(load.add(batch.records)), stored])
      reached = batch.reached
      note(passing, batch)
      if (keepsPlace(resource)) stored = orStop(settle(passing, reached, false))
      shown.at({ bytes: reached.offset, rows: counts.rows, rejected: counts.rejected })
    }
    await stored
    if (!signal?.aborted) {
      shown.say(`${grouped(counts.rows)} rows read; storing them`)
      // A signal that comes from here on interrupts nothing: all is stored, or nothing for a reason of its own.
      return await settle(passing, reached, true)
    }
  } catch (error) {
    const reason = await stored.then(
      () => error,
      (failure: unknown) => failure,
    )
    if (!signal?.aborted) throw cutOff(passing, reason)
  }
  if (signal) throw interrupted(passing, signal)
}

/** Counts and reports what was read. */
function note(passing: Passing, { rows, blank, rejected, warned }: Batch): void {
  const { counts, blankLines } = passing
  counts.rows += rows
  counts.blank += blank.length
  blankLines.push(...blank.slice(0, SHOWN_BLANKS - blankLines.length))
  counts.warned += warned.length
  for (const { row, line, warnings } of warned) passing.report.warn(at(passing, row, line), warnings)
  for (const { row, source, errors } of rejected) reject(passing, { row, ...source, errors })
}

/** An import that goes on within an array counts its elements from there, so it names lines alone. */
const at = ({ format, place }: Passing, row: number, line: number): At =>
  format === 'json' && place.mark === null ? { line, element: row + 1 } : { line }

function reject(passing: Passing, { row, line, raw, errors }: Rejection): void {
  passing.counts.rejected++
  // What is wrong with the array itself is on a row without text, and in no element.
  passing.report.add(raw === '' ? { line } : at(passing, row, line), errors)
  passing.rejects.add(raw ?? '', errors)
}

/** Stores what was read; when a row before broke a rule and nothing may be stored, still looks for others that do. */
async function settle(passing: Passing, reached: Reached, isDone: boolean): Promise<void> {
  const { load, place, counts, blankLines, rejects, options, opened } = passing
  const isStopped = (): boolean => options.onError === 'stop' && counts.rejected > (place.mark?.rejected ?? 0)
  const reported = new Set<number>()
  const rejectOnce = (rejection: Rejection): void => {
    if (reported.has(rejection.row)) return
    reported.add(rejection.row)
    const errors = rejection.errors.map(error => ({ ...error, field: opened.reader.columnOf(error.field) }))
    reject(passing, { ...rejection, errors })
  }
  const placeWith: PlaceOf = ({ created, skipped }, rejections) => {
    rejections.forEach(rejectOnce)
    const total = { ...counts, created: counts.created + created, skipped: counts.skipped + skipped }
    return { input: place.key, mark: place.markAt(reached, total, blankLines, rejects.bytes, isDone) }
  }
  const isLook = isStopped() || options.dryRun
  const outcome = isLook ? await load.check() : await load.store(placeWith, await approved(passing))
  for await (const rejection of load.rejections()) rejectOnce(rejection)
  if (isStopped()) return
  counts.created += outcome.created
  counts.updated += outcome.updated
  counts.unchanged += outcome.unchanged
  counts.removed += outcome.removed
  counts.skipped += outcome.skipped
}

/** What somebody agrees to, where that must be asked. */
async function approved({
  context,
  options,
  replacing,
  load,
  counts,
  shown,
}: Passing): Promise<BulkCounts | undefined> {
  if (!replacing) return undefined
  shown.clear()
  return approvedBy(context, options, replacing, load, counts.rows)
}
