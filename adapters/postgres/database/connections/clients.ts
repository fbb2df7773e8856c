import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { AppError } from '../../../../core/errors.ts'
import { busy, codeOf, isLost, wasEnded } from '../errors.ts'
import { CuttableClient, type SilenceWatch } from './silence.ts'

/** More than this many that wait for a connection are refused. */
const MOST_WAITING = 2_000

/** Lends connections of a pool, each to one user at a time. */
export class Clients {
  readonly #pool: Pool
  readonly #silence: SilenceWatch

  constructor(pool: Pool, silence: SilenceWatch) {
    this.#pool = pool
    this.#silence = silence
  }

  async use<T>(work: (client: CuttableClient) => Promise<T>): Promise<T> {
    if (this.#pool.waitingCount >= MOST_WAITING) throw busy()
    const client = await this.#pool.connect().catch(error => {
      throw codeOf(error) === '' ? busy(error) : error
    })
    let isBroken = true
    try {
      if (!(client instanceof CuttableClient)) throw new AppError('internal', 'A pool is not of `poolOf`.')
      const done = this.#silence.watch(client)
      const result = await work(client).finally(done)
      isBroken = false
      return result
    } catch (error) {
      isBroken = isLost(error) || wasEnded(error) || (error instanceof AppError && error.code === 'unavailable')
      throw error
    } finally {
      client.release(isBroken || (client instanceof CuttableClient && client.isCut))
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

/** Asks the server to stop what it does for a client. */
export type Cancel = (client: CuttableClient) => Promise<void>

/** The server takes no notice before it has begun, so it is asked again. */
const AGAIN_MS = 50

/**
 * Does work on the server that is of no use once the signal has aborted: the server then stops, and this rejects with
 * the signal's reason. Resolves or rejects only when a late request to stop can no longer hit the client's next work.
 */
export async function unlessAborted<T>(
  client: CuttableClient,
  signal: AbortSignal | undefined,
  cancel: Cancel,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  const working = work()
  let isOver = false
  const stop = async (): Promise<void> => {
    const ended = working.then(NOTHING, NOTHING)
    while (!isOver) {
      await cancel(client)
      await Promise.race([ended, pause(AGAIN_MS, undefined, { ref: false })])
    }
  }
  let stopped: Promise<void> | undefined
  const onAbort = (): void => {
    stopped = stop()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await working
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    isOver = true
    signal.removeEventListener('abort', onAbort)
    await stopped
  }
}

const NOTHING = (): void => undefined
