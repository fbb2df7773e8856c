import { grouped } from '../../../../core/format-count.ts'
import type { ImportWarning } from '../../../../core/transfer/found.ts'
import type { ImportWatcher } from '../../../../core/transfer/import-types.ts'
import { type Context, say } from '../../context.ts'
import { progress } from '../../terminal/progress.ts'
import { writeErrors } from '../../terminal/streams.ts'
import type { CommandOptions } from './options.ts'
import { openRejectFile } from './reject-file.ts'
import { approvedBy } from './replace.ts'

/** Shows an import's progress in the terminal, and the first errors as they are found. `clear` ends the line. */
export function watching(
  context: Context,
  { name, bytes }: { readonly name: string; readonly bytes?: number },
  options: CommandOptions,
): { readonly watcher: ImportWatcher; clear(): void } {
  const { io } = context
  const shown = progress(context, name, bytes)
  const isJson = context.options.output === 'json'
  const print = ({ line, element, field, message }: ImportWarning, kind = ''): void => {
    shown.clear()
    const which = element === undefined ? '' : `element ${element}: `
    writeErrors(io, `${name}:${line}: ${kind}${which}${field}: ${message}`)
  }
  return {
    clear: shown.clear,
    watcher: {
      at: shown.at,
      storing: rows => shown.say(`${grouped(rows)} rows read; storing them`),
      began: async () => {},
      continuing: ({ rows, created, skipped }) =>
        say(
          context,
          `continuing after ${grouped(rows)} rows, ${grouped(created + skipped)} of which are already stored`,
        ),
      error: (error, isKept) => {
        if (isKept && !isJson) print(error)
      },
      warning: (warning, isKept) => {
        if (isKept && !isJson && !context.options.quiet) print(warning, 'warning: ')
      },
      keepsRejects: options.rejectFile !== undefined,
      kept: async () => {},
      openRejects: (_, resumeAt) =>
        options.rejectFile === undefined ? null : openRejectFile(options.rejectFile, name, resumeAt),
      approve: (replacing, load, rows) => {
        shown.clear()
        return approvedBy(context, options, replacing, load, rows)
      },
    },
  }
}
