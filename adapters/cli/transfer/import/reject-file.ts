import { accessSync, closeSync, constants, existsSync, fstatSync, ftruncateSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RejectSink } from '../../../../core/ports/transfer.ts'
import { REASON } from '../../../../core/transfer/rows/columns.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { cannotWrite } from '../../terminal/report.ts'
import { assertNoDatabase, headOf, openToWrite, writeAll } from '../export/output.ts'

/**
 * Created with its first row. An existing file is emptied, or truncated to its size at the place of a resumed import.
 * What is not a plain file, such as a pipe, is only written to.
 */
export function openRejectFile(path: string, input: string, resumeAt: number | null): RejectSink {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isFile() && isSame(there, input))
    throw new CliError(EXIT.usage, `--reject-file ${path} would overwrite the input`)
  const isSpecial = there !== undefined && !there.isFile()
  let bytes = !isSpecial && resumeAt !== null && (there?.size ?? 0) >= resumeAt ? resumeAt : 0
  let file = there === undefined ? null : open(path)
  if (file !== null && !isSpecial) ftruncateSync(file, bytes)
  return {
    get bytes() {
      return bytes
    },
    write: text => {
      file ??= open(path)
      const content = Buffer.from(text)
      writeAll(path, file, content, isSpecial ? null : bytes)
      bytes += content.length
    },
    kept: async () => {},
    close: async () => {
      if (file !== null) closeSync(file)
    },
  }
}

const open = (path: string): number => openToWrite(path, constants.O_WRONLY | constants.O_CREAT)

/** Throws if rejected rows could not be written to that path: before rows are read, since that may take long. */
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
    // The trailing slash refuses what is not a folder.
    accessSync(`${dirname(path)}/`, constants.W_OK)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

const REJECTS = new RegExp(`^\\uFEFF?\\[?(?:\\{")?${REASON}\\b`)

/** Overwrites a file of rejected rows each time; refuses any other file, so that a typo loses nothing. */
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
