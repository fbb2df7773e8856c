import type { BulkCounts, BulkLoad, PlaceOf, Rejection } from '../ports/bulk.ts'
import { type Batch, type Reached, reachedIn, readBatches } from './batches.ts'
import { EndedEarly, stopped } from './failure.ts'
import { type At, keptErrors, keptWarnings } from './found.ts'
import type { ImportRun, ImportWatcher } from './import-types.ts'
import { keepsPlace, NO_COUNTS } from './imported-resource.ts'
import { ahead } from './input/ahead.ts'
import type { OpenedSource } from './input/source.ts'
import { findPlace, fingerprintOf, goTo, type Mark } from './place.ts'
import { type RejectShape, type Rejects, rejectsTo } from './rejects.ts'
import type { Replacing } from './replacing.ts'
import type { Names } from './rows/names.ts'
import { storedKeys } from './rows/stored-keys.ts'
import type { ImportOutcome } from './summary.ts'

/** An import whose input format is known. */
interface Run extends ImportRun {
  readonly opened: OpenedSource
  /** The deck to replace, in that mode. */
  readonly replacing: Replacing | null
  readonly names: Names
}

const SHOWN_BLANKS = 10
const REPORTED_AT_ONCE = 500

type Counts = { -readonly [K in keyof BulkCounts | 'rows' | 'warned' | 'blank']: number }

/** Reads all rows and stores them; see importText. */
export async function runImport(run: Run): Promise<ImportOutcome> {
  const { resource, input, options, watcher, opened } = run
  const errors = keptErrors(options.maxErrors, watcher.error)
  const warnings = keptWarnings(options.maxErrors, watcher.warning)
  const counts: Counts = { rows: 0, ...NO_COUNTS, warned: 0, blank: 0 }
  const blankLines: number[] = []
  if (opened.errors.length > 0) errors.add({ line: input.line === 1 ? 1 : input.line - 1 }, opened.errors)
  else {
    const place = await placeOf(run)
    if (place.mark) takeUp(watcher, place.mark, counts, blankLines)
    const shape = shapeOf(run)
    const rejects = rejectsTo(await watcher.openRejects(shape, place.mark?.rejectBytes ?? null), shape)
    const load = loadOf(run, place)
    try {
      await passRows({ ...run, errors, warnings, counts, blankLines, place, rejects, load })
    } finally {
      await load.close()
      await rejects.close()
    }
  }
  return {
    resource: resource.name,
    source: input.name,
    dry_run: options.dryRun,
    ...counts,
    blank_lines: blankLines,
    errors: errors.kept,
    more_errors: errors.more,
    warnings: warnings.kept,
    more_warnings: warnings.more,
  }
}

const loadOf = (
  { resource, input, format, options, ports, opened, tenant, replacing }: Run,
  { formerMark, before }: RunPlace,
): BulkLoad =>
  ports.bulk.load({
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
    noted: {
      file: input.name.slice(input.name.lastIndexOf('/') + 1),
      ...(tenant ? { [tenant.field]: Number(tenant.value) } : {}),
    },
  })

const shapeOf = ({ format, opened, options, input }: Run): RejectShape => ({
  format,
  isMarked: format === 'csv' && (options.bom || input.hasMark),
  delimiter: opened.delimiter,
  newline: opened.newline,
  header: opened.header,
})

type Progress = Omit<Mark, keyof Reached | 'head' | 'options' | 'before'> & { readonly reached: Reached }

interface RunPlace {
  readonly key: string
  readonly mark: Mark | null
  /** As stored, whether the import resumes or not. */
  readonly formerMark: string | null
  /** The highest id when it began. */
  readonly before: number
  /** Returns the text that stores how far the import has come. */
  markAt(progress: Progress): string
}

/** Returns where this import begins, and how it stores its progress. */
async function placeOf(run: Run): Promise<RunPlace> {
  const { resource, input, format, options, ports, opened, rules } = run
  const settings = [resource.name, format, opened.delimiter, options.map, opened.constants, options.decimalComma]
  const fingerprint = fingerprintOf(input, settings, ports.digestOf)
  const places = keepsPlace(resource) ? await ports.bulk.places(resource) : []
  const resume = options.resume ?? (options.dryRun ? false : undefined)
  const found = findPlace(places, input, fingerprint, resume, rules.guide)
  if (found) await passOver(run, found.mark)
  const { head } = found?.mark ?? fingerprint
  const key = found?.key ?? fingerprint.key
  const before = found?.mark.before ?? (await ports.bulk.lastId(resource))
  if (!found) await run.watcher.began(before)
  return {
    key,
    before,
    formerMark: places.find(place => place.input === key)?.mark ?? null,
    mark: found?.mark ?? null,
    markAt: ({ reached, rows, created, skipped, rejected, blank, blankLines, rejectBytes, isDone }) =>
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

/** Skips the rows that the earlier run stored; an abort does not interrupt that. */
async function passOver({ input, rules, signal, ...run }: Run, mark: Mark): Promise<void> {
  try {
    await goTo(input, mark, rules.guide)
  } catch (error) {
    throw signal?.aborted ? endedEarly({ ...run, counts: mark }, stopped()) : error
  }
}

/** Returns the error of an import that ended before its input did, with what is stored nevertheless. */
function endedEarly(
  { resource, options, counts }: Pick<Run, 'resource' | 'options'> & { readonly counts: Pick<BulkCounts, 'created'> },
  cause: unknown,
): unknown {
  const hasStored = keepsPlace(resource) && !options.dryRun && counts.created > 0
  return hasStored ? new EndedEarly(counts.created, cause) : cause
}

/** Continues with the counts of the earlier run. */
function takeUp(watcher: ImportWatcher, mark: Mark, counts: Counts, blankLines: number[]): void {
  const { rows, created, skipped, rejected, blank } = mark
  Object.assign(counts, { rows, created, skipped, rejected, blank })
  blankLines.push(...mark.blankLines)
  watcher.continuing(mark)
}

interface Passing extends Run {
  readonly errors: ReturnType<typeof keptErrors>
  readonly warnings: ReturnType<typeof keptWarnings>
  readonly counts: Counts
  readonly blankLines: number[]
  readonly place: RunPlace
  readonly rejects: Rejects
  readonly load: BulkLoad
}

/** Reads and adds the next batch while one is being stored. */
async function passRows(passing: Passing): Promise<void> {
  const { input, resource, watcher, counts, place, load, options, signal } = passing
  const isWithin = place.mark !== null
  const withStoredKeys = storedKeys(passing.ports.records, resource, passing.opened, options)
  const batches = readBatches(
    { ...passing, isWithin, withStoredKeys, keepsRaw: watcher.keepsRejects },
    () => load.batchSize,
  )
  /** Stops waiting for input once that has failed. */
  const orStop = (work: Promise<void>): Promise<void> => {
    work.catch(() => input.stop())
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
      await kept(passing)
      if (keepsPlace(resource)) stored = orStop(settle(passing, reached, false))
      watcher.at({ bytes: reached.offset, rows: counts.rows, rejected: counts.rejected })
    }
    await stored
    if (!signal?.aborted) {
      watcher.storing(counts.rows)
      // A signal from here on interrupts nothing: everything is stored, or nothing for another reason.
      return await settle(passing, reached, true)
    }
  } catch (error) {
    const reason = await stored.then(
      () => error,
      (failure: unknown) => failure,
    )
    if (!signal?.aborted) throw endedEarly(passing, reason)
  }
  throw endedEarly(passing, stopped())
}

/** Resolves once all that was reported is kept, so that a place never lies behind it. */
const kept = ({ rejects, watcher }: Passing): Promise<unknown> => Promise.all([rejects.kept(), watcher.kept()])

/** Counts and reports what was read. */
function note(passing: Passing, { rows, blank, rejected, warned }: Batch): void {
  const { counts, blankLines } = passing
  counts.rows += rows
  counts.blank += blank.length
  blankLines.push(...blank.slice(0, SHOWN_BLANKS - blankLines.length))
  counts.warned += warned.length
  for (const { row, line, warnings } of warned) passing.warnings.add(at(passing, row, line), warnings)
  for (const { row, source, errors } of rejected) reject(passing, { row, ...source, errors })
}

/** An import that resumes within an array would count its elements from there, so it gives only lines. */
const at = ({ format, place }: Passing, row: number, line: number): At =>
  format === 'json' && place.mark === null ? { line, element: row + 1 } : { line }

function reject(passing: Passing, { row, line, raw, errors }: Rejection): void {
  passing.counts.rejected++
  // A fault of the array itself is on a row without text, and in no element.
  passing.errors.add(raw === '' ? { line } : at(passing, row, line), errors)
  passing.rejects.add(raw ?? '', errors)
}

/** Stores what was read; if an earlier row broke a rule and nothing may be stored, only looks for more such rows. */
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
  const placeWith: PlaceOf = async ({ created, skipped }, rejections) => {
    rejections.forEach(rejectOnce)
    await kept(passing)
    const total = { ...counts, created: counts.created + created, skipped: counts.skipped + skipped }
    return {
      input: place.key,
      mark: place.markAt({ ...total, reached, blankLines, rejectBytes: rejects.bytes, isDone }),
    }
  }
  const isLook = isStopped() || options.dryRun
  const outcome = isLook ? await load.check() : await load.store(placeWith, await approvedBy(passing))
  let reportedLast = 0
  for await (const rejection of load.rejections()) {
    rejectOnce(rejection)
    if (++reportedLast % REPORTED_AT_ONCE === 0) await kept(passing)
  }
  await kept(passing)
  if (isStopped()) return
  counts.created += outcome.created
  counts.updated += outcome.updated
  counts.unchanged += outcome.unchanged
  counts.removed += outcome.removed
  counts.skipped += outcome.skipped
}

/** Returns what somebody approves if a deck is replaced. */
const approvedBy = async ({ watcher, replacing, load, counts }: Passing): Promise<BulkCounts | undefined> =>
  replacing ? watcher.approve(replacing, load, counts.rows) : undefined
