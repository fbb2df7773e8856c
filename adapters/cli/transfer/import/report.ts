import { accessSync, closeSync, constants, existsSync, fstatSync, ftruncateSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FieldError, FieldErrors } from '../../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { cannotWrite } from '../../terminal/report.ts'
import { writeErrors } from '../../terminal/streams.ts'
import { BOM, csvCell } from '../export/csv.ts'
import { assertNoDatabase, headOf, openToWrite, writeAll } from '../export/output.ts'
import { withoutFirstCell } from './input/csv.ts'
import type { Format } from './options.ts'
import { REASON } from './rows/columns.ts'
import type { Warning } from './rows/evaluate.ts'

/** Where a row stands in the input. */
export interface At {
  /** Its first line. */
  readonly line: number
  /** Which element of a JSON array it is, from 1: a whole array may stand on one line. */
  readonly element?: number
}

export interface ImportWarning extends At {
  /** The column, member or field; `row` for the row as a whole. */
  readonly field: string
  readonly message: string
}

export interface ImportError extends ImportWarning, Pick<FieldError, 'rule' | 'detail'> {}

/** Shows errors as they are found, up to a number, and counts the rest. `before` is called before each. */
export function errorReport(
  { io, options }: Pick<Context, 'io' | 'options'>,
  name: string,
  max: number,
  before: () => void,
) {
  const print = ({ line, element, field, message }: ImportWarning, kind = ''): void => {
    before()
    const which = element === undefined ? '' : `element ${element}: `
    writeErrors(io, `${name}:${line}: ${kind}${which}${field}: ${message}`)
  }
  const isJson = options.output === 'json'
  const errors = firstOf<FieldError, ImportError>(max, toError, error => {
    if (!isJson) print(error)
  })
  const warnings = firstOf<Warning, ImportWarning>(max, toWarning, warning => {
    if (!isJson && !options.quiet) print(warning, 'warning: ')
  })
  return {
    shown: errors.shown,
    warnings: warnings.shown,
    get moreWarnings() {
      return warnings.more
    },
    get more() {
      return errors.more
    },
    add: errors.add,
    /** Shows warnings, as many as errors are shown. */
    warn: warnings.add,
    /** Says how many were not shown. */
    end: (): void => {
      if (errors.more > 0 && !isJson) writeErrors(io, `… and ${errors.more} more`)
    },
  }
}

const toWarning = (at: At, { field, sentence }: Warning): ImportWarning => ({ ...at, field, message: sentence })

const toError = (at: At, error: FieldError): ImportError => ({
  ...toWarning(at, error),
  rule: error.rule,
  ...(error.detail ? { detail: error.detail } : {}),
})

/** Keeps and shows what comes first, and counts the rest. */
function firstOf<T, Shown>(max: number, form: (at: At, found: T) => Shown, show: (found: Shown) => void) {
  const shown: Shown[] = []
  let more = 0
  return {
    shown,
    get more() {
      return more
    },
    add: (at: At, found: readonly T[]): void => {
      for (const each of found)
        if (shown.length >= max) more++
        else {
          const formed = form(at, each)
          shown.push(formed)
          show(formed)
        }
    },
  }
}

export interface RejectFile {
  add(raw: string, errors: FieldErrors): void
  /** How long the file is: what a resumed import goes on from. */
  readonly bytes: number
  close(): void
}

const NO_FILE: RejectFile = { add: () => {}, bytes: 0, close: () => {} }

/** The reason in front of a rejected row that stays as it came; in JSON, as an element of its own. */
const FORMS: Readonly<Record<Format, (raw: string, reason: string, context: Shape) => string>> = {
  csv: (raw, reason, { delimiter, newline }) => `${csvCell(reason, delimiter)}${delimiter}${raw}${newline}`,
  ndjson: (raw, reason) => `${JSON.stringify({ [REASON]: reason })}\n${raw}\n`,
  json: (raw, reason) => `${JSON.stringify({ [REASON]: reason })},\n${raw}`,
}

interface Shape {
  readonly format: Format
  /** Does it begin with a byte-order mark? */
  readonly isMarked: boolean
  readonly delimiter: string
  readonly newline: string
  /** The header row as it came. */
  readonly header: string
}

/**
 * Made with its first row, where there is none yet; one that is there is emptied, or cut to what it was at the place
 * of a resumed import. What is not a plain file, such as a pipe, is written to and nothing else.
 */
export function openRejectFile(
  path: string | undefined,
  input: string,
  shape: Shape,
  resumeAt: number | null,
): RejectFile {
  if (path === undefined) return NO_FILE
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isFile() && isSame(there, input))
    throw new CliError(EXIT.usage, `--reject-file ${path} would overwrite the input`)
  const isSpecial = there !== undefined && !there.isFile()
  let bytes = !isSpecial && resumeAt !== null && (there?.size ?? 0) >= resumeAt ? resumeAt : 0
  const isReject = shape.format === 'csv' && shape.header.startsWith(`${REASON}${shape.delimiter}`)
  /** Without the reason that a row of a reject file has already. */
  const bare = (raw: string): string => (isReject ? withoutFirstCell(raw, shape.delimiter) : raw)
  let file = there === undefined ? null : open(path)
  if (file !== null && !isSpecial) ftruncateSync(file, bytes)
  const write = (text: string): void => {
    file ??= open(path)
    const content = Buffer.from(text)
    writeAll(path, file, content, isSpecial ? null : bytes)
    bytes += content.length
  }
  return {
    get bytes() {
      return bytes
    },
    add: (raw, errors) => {
      const reason = errors.map(({ field, sentence }) => `${field}: ${sentence}`).join(' ')
      const first = shape.format === 'csv' ? `${REASON}${shape.delimiter}${bare(shape.header)}${shape.newline}` : '['
      const begin = (shape.isMarked ? BOM : '') + (shape.format === 'ndjson' ? '' : first)
      const start = bytes === 0 ? begin : shape.format === 'json' ? ',\n' : ''
      write(start + FORMS[shape.format](bare(raw), reason, shape))
    },
    close: () => {
      if (shape.format === 'json' && bytes > 0) write(']\n')
      if (file !== null) closeSync(file)
    },
  }
}

const open = (path: string): number => openToWrite(path, constants.O_WRONLY | constants.O_CREAT)

/** Throws where rejected rows could not be written to that path: before rows are read, since they may take long. */
export function assertRejectFile(path: string): void {
  if (path === '-')
    throw new CliError(
      EXIT.usage,
      '--reject-file needs a file, not -; for standard output, give /dev/stdout',
      again('--reject-file', '/dev/stdout'),
    )
  if (existsSync(path)) {
    const there = statSync(path)
    // Opening a pipe waits for its reader.
    if (!there.isFIFO()) closeSync(open(path))
    if (there.isFile()) assertReplaceable(path)
    return
  }
  try {
    // The slash refuses what is not a folder.
    accessSync(`${dirname(path)}/`, constants.W_OK)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

const REJECTS = new RegExp(`^\\uFEFF?\\[?(?:\\{")?${REASON}\\b`)

/** A file of rejected rows is overwritten each time; any other file is refused, so that a typo loses nothing. */
function assertReplaceable(path: string): void {
  assertNoDatabase(path)
  const head = headOf(path, 64).toString()
  if (head !== '' && !REJECTS.test(head))
    throw new CliError(EXIT.cannotCreate, `cannot write ${path}: it already exists and does not hold rejected rows`)
}

function isSame({ ino, dev }: Stats, input: string): boolean {
  const other = input === '-' ? fstatSync(0) : statSync(input, { throwIfNoEntry: false })
  return other?.ino === ino && other.dev === dev
}
