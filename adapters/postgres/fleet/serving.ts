import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { AppError } from '../../../core/errors.ts'
import type { Claim } from '../../../core/ports/storage.ts'
import { connectFailure } from '../database/connect-failure.ts'
import { clientConfig, shownAddress } from '../database/options.ts'
import type { Queries } from '../database/queries.ts'
import { sql } from '../database/sql.ts'

/** "Trnl" in ASCII. Every daemon shares this lock while it serves the database; a restore has it alone. */
const SERVED = 0x54726e6c
const RETRY_MS = 1_000

/**
 * Claims to serve the database beside others, on a connection that is opened again when it is lost. Throws `busy`
 * while a program has it to itself.
 */
export async function claimServing(address: string): Promise<Claim> {
  const released = new AbortController()
  const config = { ...clientConfig(address), statement_timeout: 0 }
  const hold = async (): Promise<Client> => {
    const client = new Client(config)
    let isHeld = false
    client.on('error', () => undefined)
    client.on('end', () => {
      if (isHeld) void again()
    })
    try {
      await client.connect()
      const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock_shared($1) AS held', [SERVED])
      if (rows[0]?.held !== true) throw inUse(address)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    isHeld = true
    return client
  }
  let present: Promise<Client> = hold()
  const again = async (): Promise<void> => {
    while (!released.signal.aborted) {
      await pause(RETRY_MS, undefined, { signal: released.signal, ref: false }).catch(() => undefined)
      if (released.signal.aborted) return
      present = hold()
      if (await present.then(() => true).catch(() => false)) return
    }
  }
  await present.catch(error => {
    throw connectFailure(address, error)
  })
  return {
    release: async () => {
      released.abort()
      await present.then(client => client.end()).catch(() => undefined)
    },
  }
}

const inUse = (address: string): AppError =>
  new AppError('busy', `${shownAddress(address)} is being restored; start the daemon after that.`)

/** Claims the database for this session alone; false while a daemon serves it. */
export const claimAlone = async (session: Queries): Promise<boolean> =>
  (await session.value<boolean>(sql`SELECT pg_try_advisory_lock(${SERVED})`)) ?? false

/** Returns whether any daemon serves the database. */
export const isServed = async (queries: Queries): Promise<boolean> =>
  (await queries.value<boolean>(sql`SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND mode = 'ShareLock' AND classid = 0 AND objid = ${SERVED}::bigint::oid)`)) ?? false
