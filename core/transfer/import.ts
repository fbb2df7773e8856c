import type { Resource, Row } from '../resources/resource.ts'
import { TransferFailure } from './failure.ts'
import type { Guide } from './guide.ts'
import type { ImportRun, PlannedImport } from './import-types.ts'
import { inFiles, keepsPlace } from './imported-resource.ts'
import { openSource } from './input/source.ts'
import type { ImportOptions } from './options.ts'
import { assertReplaceable, type Replacing, replacingOf } from './replacing.ts'
import { constantsOf, targetsOf } from './rows/columns.ts'
import { namesIn } from './rows/names.ts'
import { runImport } from './run.ts'
import type { ImportOutcome } from './summary.ts'

/** Throws if options contradict each other, or the kind of record. */
export function assertSensible(resource: Resource, options: ImportOptions, guide: Guide): void {
  const { resume, mode, allowDuplicates } = options
  assertReplaceable(resource, options, guide)
  const isPlaced = keepsPlace(resource)
  if (resume && !isPlaced)
    throw new TransferFailure('usage', `an import of ${resource.plural} is all or nothing: there is nothing to resume`)
  if (isPlaced && mode !== 'insert')
    throw new TransferFailure(
      'usage',
      `${resource.plural} have no natural key, so ${guide.name('mode', mode)} cannot find them`,
    )
  if (allowDuplicates && mode !== 'insert')
    throw new TransferFailure(
      'usage',
      `${guide.name('allowDuplicates')} works only with ${guide.name('mode', 'insert')}`,
    )
}

export interface ImportRequest extends Pick<PlannedImport, 'resource' | 'options' | 'format' | 'tenant'> {
  readonly guide: Guide
}

/** Reads the options, which `assertSensible` has checked. Throws TransferFailure if they make no sense. */
export function planImport({ resource, options, format, tenant, guide }: ImportRequest): PlannedImport {
  const rules = { isText: format === 'csv', decimalComma: options.decimalComma, force: options.force, guide }
  const declared = inFiles(resource)
  const targets = targetsOf(declared, options.map, guide)
  const constants = constantsOf(declared, options.set, rules)
  if (tenant && Object.hasOwn(constants, tenant.field))
    throw new TransferFailure('usage', `${tenant.flag} and ${guide.name('set', tenant.field)} say the same thing`)
  return { resource, options, format, tenant, targets, constants, rules }
}

/** The outcome of an import, and the deck that it replaced. */
export interface Imported {
  readonly outcome: ImportOutcome
  readonly replacing: Replacing | null
}

/**
 * Imports records from a text. The outcome and the watcher report errors in the data. Throws if it cannot begin or
 * must stop: TransferFailure, AppError, or EndedEarly if records of it are stored.
 */
export async function importText(run: ImportRun): Promise<Imported> {
  const { resource, tenant, format, options, targets, constants, rules, input, ports } = run
  const isOwn = tenant !== null && resource.fields[tenant.field] !== undefined
  const within: Row = tenant === null || isOwn ? {} : { [tenant.field]: tenant.value }
  const names = namesIn(ports.records, within)
  const declared = inFiles(resource)
  const plan = { resource: declared, targets, constants, fixed: isOwn ? tenant : null, within, rules, names }
  const opened = await openSource(input, format, plan, options)
  const replacing = await replacingOf(options, tenant, ports, rules.guide)
  const outcome = await runImport({ ...run, opened, replacing, names })
  return { outcome, replacing }
}
