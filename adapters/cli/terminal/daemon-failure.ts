import { AppError } from '../../../core/errors.ts'
import { EXIT, EXIT_OF } from '../exit.ts'
import { writeErrors } from './streams.ts'

/** A full disk may have space again soon, so restarting the daemon makes sense. */
const codeOf = ({ code }: AppError): number => (code === 'storage_full' ? EXIT.busy : EXIT_OF[code])

/** Prints why the daemon could not start or its command line could not be read, and returns its exit code. */
export function reportDaemonFailure(io: Parameters<typeof writeErrors>[0], error: unknown): number {
  const isOurs = error instanceof AppError
  writeErrors(io, `error: ${error instanceof Error ? error.message : String(error)}`)
  if (isOurs && error.details.hint) writeErrors(io, `hint: ${error.details.hint}`)
  const isUsage = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return isUsage ? EXIT.usage : isOurs ? codeOf(error) : EXIT.bug
}
