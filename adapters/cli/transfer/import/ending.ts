import { AppError } from '../../../../core/errors.ts'
import type { BulkCounts } from '../../../../core/ports/bulk.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { keepsPlace } from '../../../../core/use-cases/records/import.ts'
import { CliError, EXIT_OF, interruption } from '../../exit.ts'
import { grouped } from '../../terminal/whole-number.ts'
import type { Input } from './input/input.ts'
import type { ImportOptions } from './options.ts'
import { resuming } from './place.ts'

/** An import that ends before its input does. */
interface Ending {
  readonly resource: Resource
  readonly input: Pick<Input, 'name'>
  readonly options: Pick<ImportOptions, 'dryRun'>
  readonly counts: Pick<BulkCounts, 'created'>
}

/** Are records stored that stay, whatever ended it? */
const hasStored = ({ resource, options, counts }: Ending): boolean =>
  keepsPlace(resource) && !options.dryRun && counts.created > 0

/** Returns the error with what is stored in spite of it. */
export function cutOff(ending: Ending, error: unknown): unknown {
  if (!hasStored(ending)) return error
  const { input, counts } = ending
  const stored = `${grouped(counts.created)} records of ${input.name} are stored, the others are not`
  if (error instanceof CliError) return new CliError(error.exitCode, `${error.message}; ${stored}`, resuming, error)
  if (!(error instanceof AppError) || error.code === 'conflict' || error.code === 'corrupt') return error
  // That nothing was stored is true of the last batch alone.
  const isFull = error.code === 'storage_full'
  const reason = isFull ? 'the disk is full or cannot be written' : error.message.replace(/\.$/, '')
  return new CliError(EXIT_OF[error.code], `${reason}; ${stored}`, resuming, error)
}

/** Returns the error of an import that a signal ended, with what is stored in spite of that. */
export function interrupted(ending: Ending, signal: AbortSignal): CliError {
  const ended = interruption(signal)
  if (!hasStored(ending)) return ended
  const { input, counts } = ending
  return new CliError(
    ended.exitCode,
    `interrupted: ${grouped(counts.created)} records of ${input.name} are stored`,
    resuming,
  )
}
