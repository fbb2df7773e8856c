import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { escapedJson } from '../../../core/json.ts'
import { cleaned } from './styles.ts'

/**
 * The only place where the command line writes to its streams. Much of what it prints came from outside (names,
 * messages, replies of gateways, files), so lines for people are cleaned here and JSON is escaped here, at a terminal
 * and into a pipe. A line is one line: a break inside it becomes a space.
 */

type Stream = Writable & { readonly isTTY?: boolean }
type Out = { readonly stdout: Stream }
type Err = { readonly stderr: Stream }

/** Waits until the reader has taken what was written, so that a long output stays out of memory. */
async function write(stream: Stream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}

const asLines = (stream: Stream, lines: readonly string[]): string =>
  lines.map(line => `${cleaned(line, stream.isTTY === true)}\n`).join('')

/** Lines for a person, on standard output. */
export const writeLines = ({ stdout }: Out, lines: readonly string[]): Promise<void> =>
  write(stdout, asLines(stdout, lines))

/** JSON, or a part of it, on standard output. */
export const writeJson = ({ stdout }: Out, json: string): Promise<void> => write(stdout, escapedJson(json))

/** CSV on standard output. */
export const writeCsv = ({ stdout }: Out, csv: string): Promise<void> => write(stdout, csvFor(stdout, csv))

/** CSV as a stream gets it: exact, but on a screen cleaned like any line. */
export const csvFor = ({ isTTY }: Stream, csv: string): string =>
  isTTY
    ? csv
        .split('\n')
        .map(line => cleaned(line, true))
        .join('\n')
    : csv

/** Lines for a person, on standard error. */
export const writeErrors = ({ stderr }: Err, ...lines: readonly string[]): void =>
  void stderr.write(asLines(stderr, lines))

const CLEAR_LINE = '\r\u001b[K'

/** Draws a text over the last line of standard error, which is a terminal; an empty one clears the line. */
export const redraw = ({ stderr }: Err, text: string): void => void stderr.write(CLEAR_LINE + cleaned(text, true))
