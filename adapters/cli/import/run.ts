import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BulkLoad, BulkRecord, PlaceOf, Rejection } from '../../../core/ports.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { keepsPlace } from '../../../core/use-cases/import.ts'
import type { Context, Services } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import { REASON } from './columns.ts'
import type { RowErrors } from './evaluate.ts'
import type { ImportSummary } from './import.ts'
import type { Cut, Input, SourceRow } from './input.ts'
import type { Names } from './names.ts'
import type { Format, ImportOptions } from './options.ts'
import { findPlace, fingerprintOf, goTo, type Mark } from './place.ts'
import { type Progress, progress } from './progress.ts'
import { errorReport, openRejectFile, type RejectFile } from './report.ts'
import { isReason, type OpenedSource } from './source.ts'

export interface Run {
  readonly resource: Resource
  readonly input: Input
  readonly format: Format
  readonly options: ImportOptions
  readonly services: Services
  readonly context: Context
  readonly opened: OpenedSource
  readonly names: Names
  readonly signal: AbortSignal | undefined
  readonly bytes: number | undefined
}

/** Rows read at once. */
const STRETCH = 500
const SHOWN_BLANKS = 10

type Counts = { -readonly [K in 'rows' | 'created' | 'updated' | 'skipped' | 'rejected' | 'blank']: number }

/** Reads all rows and stores them; see importRecords. */
export async function runImport(run: Run): Promise<ImportSummary> {
  const started = performance.now()
  const { resource, input, options, services, context, opened } = run
  const shown = progress(context, input.name, run.bytes)
  const report = errorReport(context, input.name, options.maxErrors, shown.clear)
  const counts: Counts = { rows: 0, created: 0, updated: 0, skipped: 0, rejected: 0, blank: 0 }
  const blankLines: number[] = []
  if (opened.errors.length > 0) report.add(input.line === 1 ? 1 : input.line - 1, opened.errors)
  else {
    const place = await placeOf(run)
    if (place.mark) Object.assign(counts, countsIn(place.mark))
    const rejects = openRejectFile(options.rejectFile, input.name, shapeOf(run), place.mark?.rejectBytes ?? null)
    const load = services.bulk.load({
      resource,
      columns: opened.reader.columns,
      constants: opened.constants,
      isSparse: run.format !== 'csv',
      mode: options.mode,
      onRejection: options.onError === 'stop' ? 'store nothing' : 'leave it out',
      allowDuplicates: options.allowDuplicates,
    })
    try {
      await passRows({ ...run, shown, report, counts, blankLines, place, rejects, load, numbering: { last: 0 } })
    } finally {
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
    seconds: (performance.now() - started) / 1000,
  }
}

const shapeOf = ({ format, opened }: Run) => ({
  format,
  delimiter: opened.delimiter,
  newline: opened.newline,
  header: opened.header,
})

interface RunPlace {
  readonly key: string
  readonly mark: Mark | null
  markAt(counts: Counts, rejectBytes: number, isDone: boolean): string
}

/** Where this import begins, and how it notes where it is. */
async function placeOf({ resource, input, format, options, services, opened }: Run): Promise<RunPlace> {
  const settings = [resource.name, format, opened.delimiter, options.map, opened.constants, options.decimalComma]
  const fingerprint = fingerprintOf(input.head, settings)
  const found = keepsPlace(resource)
    ? await findPlace(
        services.bulk,
        resource,
        input,
        fingerprint,
        options.resume ?? (options.dryRun ? false : undefined),
      )
    : null
  if (found) await goTo(input, found.mark)
  const { head } = found?.mark ?? fingerprint
  return {
    key: found?.key ?? fingerprint.key,
    mark: found?.mark ?? null,
    markAt: ({ rows, created, rejected, blank }, rejectBytes, isDone) =>
      JSON.stringify({
        offset: input.offset,
        line: input.line,
        digest: input.digest(),
        head,
        options: fingerprint.options,
        rows,
        created,
        rejected,
        blank,
        rejectBytes,
        isDone,
      } satisfies Mark),
  }
}

const countsIn = ({ rows, created, rejected, blank }: Mark): Partial<Counts> => ({ rows, created, rejected, blank })

interface Passing extends Run {
  readonly shown: Progress
  readonly report: ReturnType<typeof errorReport>
  readonly counts: Counts
  readonly blankLines: number[]
  readonly place: RunPlace
  readonly rejects: RejectFile
  readonly load: BulkLoad
  /** The number of the last row read. */
  readonly numbering: { last: number }
}

async function passRows(passing: Passing): Promise<void> {
  const { input, opened, resource, shown, counts, place, load, blankLines, options, signal } = passing
  const inBatches = keepsPlace(resource)
  let waiting = 0
  const isHalted = (): boolean => options.onError === 'stop' && counts.rejected > 0
  for await (const cut of input.rows(opened.splitter(place.mark !== null), STRETCH)) {
    if (signal?.aborted) throw interrupted(passing, inBatches)
    noteBlanks(cut, counts, blankLines)
    const records = await readRows(passing, cut.rows)
    await load.add(records)
    waiting += cut.rows.length
    if (inBatches && waiting >= load.batchSize) {
      await settle(passing, isHalted(), false)
      waiting = 0
    }
    shown.at({ bytes: input.offset, rows: counts.rows, rejected: counts.rejected })
    await nextTurn()
  }
  if (signal?.aborted) throw interrupted(passing, inBatches)
  shown.say(`${counts.rows} rows read; storing them`)
  await settle(passing, isHalted(), true)
  shown.clear()
}

function noteBlanks({ blank }: Cut, counts: Counts, lines: number[]): void {
  counts.blank += blank.length
  for (const line of blank) if (lines.length < SHOWN_BLANKS) lines.push(line)
}

/** The records of some rows; those that break a rule are reported. */
async function readRows(passing: Passing, rows: readonly SourceRow[]): Promise<BulkRecord[]> {
  const { opened, names, counts, options, numbering } = passing
  let rejected: [SourceRow, RowErrors][] = []
  let records: BulkRecord[] = []
  const keepsRaw = options.rejectFile !== undefined
  do {
    rejected = []
    records = []
    let row = numbering.last
    for (const source of rows) {
      row++
      const read = opened.reader.read(source)
      if ('errors' in read) rejected.push([source, read.errors])
      else
        for (const values of read.records)
          records.push({ row, line: source.line, raw: keepsRaw ? source.raw : null, values })
    }
  } while (await names.load())
  counts.rows += rows.length
  numbering.last += rows.length
  for (const [{ line, raw, content }, errors] of rejected) {
    if ('json' in content && isReason(content.json, REASON)) counts.rows--
    else reject(passing, line, raw, errors)
  }
  return records
}

function reject({ report, rejects, counts }: Passing, line: number, raw: string, errors: RowErrors): void {
  counts.rejected++
  report.add(line, errors)
  rejects.add(raw, errors)
}

/** Stores what was read; when a row before broke a rule and nothing may be stored, still looks for others that do. */
async function settle(passing: Passing, isHalted: boolean, isDone: boolean): Promise<void> {
  const { load, place, counts, rejects, options } = passing
  const told = new Set<number>()
  const tellOf = ({ row, line, raw, errors }: Rejection): void => {
    if (told.has(row)) return
    told.add(row)
    reject(
      passing,
      line,
      raw ?? '',
      Object.entries(errors).map(([field, [sentence = '']]) => [field, sentence]),
    )
  }
  const placeOf: PlaceOf = ({ created }, rejections) => {
    rejections.forEach(tellOf)
    const reached = { ...counts, created: counts.created + created }
    return { input: place.key, mark: place.markAt(reached, rejects.bytes, isDone) }
  }
  const outcome = isHalted || options.dryRun ? await load.check() : await load.store(placeOf)
  if (!isHalted || options.dryRun) {
    counts.created += outcome.created
    counts.updated += outcome.updated
    counts.skipped += outcome.skipped
  }
  for await (const rejection of load.rejections()) tellOf(rejection)
}

function interrupted({ input, counts }: Passing, inBatches: boolean): CliError {
  return inBatches
    ? new CliError(EXIT.interrupted, `interrupted after ${counts.rows} rows of ${input.name}`, 'go on with --resume')
    : new CliError(EXIT.interrupted, 'interrupted: nothing was imported')
}
