import { counted, grouped } from '../../../core/format-count.ts'
import type { Context } from '../context.ts'
import { redraw, writeErrors } from './streams.ts'

export interface Tally {
  readonly bytes: number
  readonly rows: number
  readonly rejected: number
}

export interface Progress {
  /** Shows the progress, if it is time to. */
  at(tally: Tally): void
  /** Shows what is being done now, if it cannot be measured. */
  say(text: string): void
  /** Clears the line for what comes next. */
  clear(): void
}

const REDRAW_MS = 100
const LINE_MS = 10_000
const BAR = 24

/** Shows a bar in a terminal, a line now and then elsewhere, nothing when quiet. `now` is in milliseconds. */
export function progress(
  { io, options }: Pick<Context, 'io' | 'options'>,
  name: string,
  total: number | undefined,
  now: () => number = () => performance.now(),
): Progress {
  const started = now()
  const isTerminal = io.stderr.isTTY === true
  let last = isTerminal ? Number.NEGATIVE_INFINITY : started
  let isDrawn = false
  const draw = (text: string): void => {
    if (isTerminal) redraw(io, text.slice(0, (io.stderr.columns ?? 80) - 1))
    else writeErrors(io, `${name}: ${text}`)
    isDrawn = isTerminal
  }
  return {
    at: tally => {
      const moment = now()
      if (options.quiet || moment - last < (isTerminal ? REDRAW_MS : LINE_MS)) return
      last = moment
      draw(describe(tally, total, moment - started, isTerminal))
    },
    say: text => {
      if (isTerminal && !options.quiet) draw(text)
    },
    clear: () => {
      if (isDrawn) redraw(io, '')
      isDrawn = false
      last = isTerminal ? Number.NEGATIVE_INFINITY : last
    },
  }
}

function describe(
  { bytes, rows, rejected }: Tally,
  total: number | undefined,
  elapsed: number,
  withBar: boolean,
): string {
  const share = total ? Math.min(1, bytes / total) : null
  const perSecond = elapsed > 0 ? (rows / elapsed) * 1000 : 0
  const filled = Math.round((share ?? 0) * BAR)
  return [
    ...(share === null
      ? []
      : [...(withBar ? ['█'.repeat(filled) + '░'.repeat(BAR - filled)] : []), `${Math.floor(share * 100)} %`]),
    counted(rows, 'row'),
    `${grouped(Math.round(perSecond))}/s`,
    ...(rejected > 0 ? [`${grouped(rejected)} rejected`] : []),
    ...(share && share < 1 ? [`${duration((elapsed / share) * (1 - share))} left`] : []),
  ].join('  ')
}

const duration = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
