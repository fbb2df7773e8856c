import { AppError } from '../errors.ts'

export interface Keeping {
  /** Called with each error, with one that repeats only once. */
  onTrouble(error: unknown): void
  /** Resolves after that many milliseconds, or when the signal aborts. */
  pause(ms: number): Promise<unknown>
}

/** A change must be in force within a second of the switch's start. */
const AGAIN_MS = 500
/** A switch logs each password that it refuses. */
const REFUSED_MS = 10_000

/** Connects to a switch again and again until the signal aborts: `use` connects, and ends with the connection. */
export async function keepConnected(
  use: () => Promise<void>,
  { onTrouble, pause }: Keeping,
  signal: AbortSignal,
): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    const error = await use().catch((thrown: unknown) => thrown)
    const text = error === undefined ? '' : String(error)
    if (text !== last && error !== undefined && !signal.aborted) onTrouble(error)
    last = text
    await pause(error instanceof AppError && error.code === 'forbidden' ? REFUSED_MS : AGAIN_MS)
  }
}
