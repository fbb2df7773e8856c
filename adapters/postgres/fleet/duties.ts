import { setTimeout as pause } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import type { Duties } from '../../../core/ports/upkeep.ts'
import { clientConfig } from '../database/options.ts'

/** Between two looks whether a duty is free. */
const LOOK_MS = 1_000
/** A connection that does not answer within this time is given up, and its duties with it. */
const SILENT_MS = 2_000
/** The server frees the duties of a program whose machine has vanished within some 4 s. */
const VANISHED =
  '-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 -c tcp_user_timeout=4000'

/** The advisory lock of a duty. */
const LOCK = `hashtextextended('duty ' || $1::text, 0)`

/** A connection whose advisory locks are the duties of this program: they end with it. */
interface Line {
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal
  /** Returns whether the duty is ours now. */
  take(duty: string): Promise<boolean>
  giveUp(duty: string): Promise<void>
  close(): Promise<void>
}

/** The storage port over session advisory locks. */
export function duties(address: string): Duties {
  const config = clientConfig(address)
  let present: Promise<Line> | null = null
  let holders = 0
  const line = (): Promise<Line> => {
    present ??= connect(config).then(opened => {
      opened.lost.addEventListener('abort', () => {
        present = null
      })
      return opened
    })
    present.catch(() => {
      present = null
    })
    return present
  }
  const close = async (): Promise<void> => {
    const last = present
    present = null
    await (await last?.catch(() => null))?.close()
  }
  const holding = async <T>(act: () => Promise<T>): Promise<T> => {
    holders++
    try {
      return await act()
    } finally {
      if (--holders === 0) await close()
    }
  }
  return {
    hold: (duty, work, signal) =>
      holding(async () => {
        while (!signal.aborted) {
          await turn(line, duty, lost => work(AbortSignal.any([signal, lost])))
          await pause(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
        }
      }),
    attempt: (duty, work) => holding(() => turn(line, duty, work)),
  }
}

/** Does the work if the duty is free, and returns whether it was. */
async function turn(
  line: () => Promise<Line>,
  duty: string,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const taken = await line()
    .then(async held => ((await held.take(duty)) ? held : null))
    .catch(() => null)
  if (taken === null) return false
  try {
    await work(taken.lost)
    return true
  } finally {
    await taken.giveUp(duty).catch(() => undefined)
  }
}

async function connect(config: ClientConfig): Promise<Line> {
  const client = new Client({
    ...config,
    application_name: 'trunkline duties',
    statement_timeout: 0,
    query_timeout: SILENT_MS,
    options: `${config.options} ${VANISHED}`,
  })
  const lost = new AbortController()
  client.on('error', () => lost.abort())
  client.on('end', () => lost.abort())
  await client.connect()
  const query = async (text: string, duty?: string): Promise<unknown> => {
    try {
      const { rows } = await client.query<unknown[]>({
        text,
        values: duty === undefined ? [] : [duty],
        rowMode: 'array',
      })
      return rows[0]?.[0]
    } catch (error) {
      // Without an answer, nothing tells whether the lock is still ours.
      lost.abort()
      client.end().catch(() => undefined)
      throw error
    }
  }
  // One statement at a time: the time limit of each begins when it is sent.
  let last: Promise<unknown> = Promise.resolve()
  const ask = (text: string, duty?: string): Promise<unknown> => {
    const asked = last.catch(() => undefined).then(() => query(text, duty))
    last = asked
    return asked
  }
  void beat(() => ask('SELECT 1'), lost.signal)
  return {
    lost: lost.signal,
    take: async duty => (await ask(`SELECT pg_try_advisory_lock(${LOCK})`, duty)) === true,
    giveUp: async duty => void (await ask(`SELECT pg_advisory_unlock(${LOCK})`, duty)),
    close: async () => {
      lost.abort()
      await client.end().catch(() => undefined)
    },
  }
}

async function beat(ask: () => Promise<unknown>, lost: AbortSignal): Promise<void> {
  while (!lost.aborted) {
    await pause(LOOK_MS, undefined, { signal: lost, ref: false }).catch(() => undefined)
    if (!lost.aborted) await ask().catch(() => undefined)
  }
}
