import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { escapedJson } from '../../../core/json.ts'
import { cleaned } from './styles.ts'

/**
 * The only place where the command line writes to its streams. Much of its output comes from outside (names, messages,
 * gateways' replies, files), so lines for people are cleaned here and JSON is escaped here, for terminals and pipes. A
 * line is one line: a break inside it becomes a space.
 */

type Stream = Writable & { readonly isTTY?: boolean }
type Out = { readonly stdout: Stream }
type Err = { readonly stderr: Stream }

/** Waits until the reader has taken what was written, so that a long output does not fill the memory. */
async function write(stream: Stream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}

const asLines = (stream: Stream, lines: readonly string[]): string =>
  lines.map(line => `${cleaned(line, stream.isTTY === true)}\n`).join('')

/** Prints lines for a person on standard output. */
export const writeLines = ({ stdout }: Out, lines: readonly string[]): Promise<void> =>
  write(stdout, asLines(stdout, lines))

/** Prints JSON, or a part of it, on standard output. */
export const writeJson = ({ stdout }: Out, json: string): Promise<void> => write(stdout, escapedJson(json))

/** Prints CSV on standard output. */
export const writeCsv = ({ stdout }: Out, csv: string): Promise<void> => write(stdout, csvFor(stdout, csv))

/** Returns CSV for a stream: exact, but cleaned like any line on a screen. */
export const csvFor = ({ isTTY }: Stream, csv: string): string =>
  isTTY
    ? csv
        .split('\n')
        .map(line => cleaned(line, true))
        .join('\n')
    : csv

/** Prints lines for a person on standard error. */
export const writeErrors = ({ stderr }: Err, ...lines: readonly string[]): void =>
  void stderr.write(asLines(stderr, lines))

const CLEAR_LINE = '\r\u001b[K'

/** Draws a text over the last line of standard error, which is a terminal; an empty text clears the line. */
export const redraw = ({ stderr }: Err, text: string): void => void stderr.write(CLEAR_LINE + cleaned(text, true))
