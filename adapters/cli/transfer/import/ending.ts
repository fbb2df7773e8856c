import { AppError } from '../../../../core/errors.ts'
import { grouped } from '../../../../core/format-count.ts'
import { EndedEarly, TransferFailure } from '../../../../core/transfer/failure.ts'
import { CliError, EXIT, EXIT_OF, interruption } from '../../exit.ts'
import { hintOf, resuming } from './guide.ts'

/** Returns the error that ended an import or export, as the command line reports it. `name` is the input's. */
export function reported(error: unknown, name: string, signal?: AbortSignal): unknown {
  if (error instanceof EndedEarly) return cutOff(error, name, signal)
  if (!(error instanceof TransferFailure)) return error
  if (error.kind === 'stopped' && signal) return interruption(signal)
  return new CliError(
    EXIT[error.kind === 'usage' ? 'usage' : 'data'],
    error.message,
    error.fix ? hintOf(error.fix, name) : undefined,
  )
}

/** Adds what is stored nevertheless. */
function cutOff({ stored: count, cause }: EndedEarly, name: string, signal?: AbortSignal): unknown {
  const error = reported(cause, name, signal)
  const isStopped = cause instanceof TransferFailure && cause.kind === 'stopped'
  const stored = `${grouped(count)} records of ${name} are stored`
  if (error instanceof CliError)
    return isStopped
      ? new CliError(error.exitCode, `interrupted: ${stored}`, resuming)
      : new CliError(error.exitCode, `${error.message}; ${stored}, the others are not`, resuming, error)
  if (!(error instanceof AppError) || error.code === 'conflict' || error.code === 'corrupt') return error
  // Only of the last batch is it true that nothing was stored.
  const isFull = error.code === 'storage_full'
  const reason = isFull ? 'the disk is full or cannot be written' : error.message.replace(/\.$/, '')
  return new CliError(EXIT_OF[error.code], `${reason}; ${stored}, the others are not`, resuming, error)
}
