import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../adapters/postgres/database/sql.ts'
import { duties } from '../../../adapters/postgres/fleet/duties.ts'
import { openStorage } from '../../../adapters/postgres/storage.ts'
import { manualClock } from '../../support/clock.ts'
import { byteProxy } from '../../support/postgres/byte-proxy.ts'
import { newDatabase } from '../../support/postgres/databases.ts'

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))

/** A program that wants a duty: what it has begun and ended of it, in the order of all programs. */
function wanting(address: string, program: string, seen: string[]) {
  const ending = new AbortController()
  let heard = (): void => undefined
  const note = (what: string): void => {
    seen.push(`${program} ${what}`)
    heard()
  }
  const work = async (signal: AbortSignal): Promise<void> => {
    note('begins')
    await untilAborted(signal)
    note('ends')
  }
  const done = duties(address).hold('feed', work, ending.signal)
  return {
    /** Resolves once it has begun or ended as many times. */
    until: async (what: string): Promise<void> => {
      while (!seen.includes(`${program} ${what}`))
        await new Promise<void>(resolve => {
          heard = resolve
        })
    },
    end: async () => {
      ending.abort()
      await done
    },
  }
}

test('a duty is with one program at a time, and passes to another that waits as soon as the first ends', async () => {
  const address = await newDatabase()
  const seen: string[] = []
  const one = wanting(address, 'one', seen)
  await one.until('begins')
  const other = wanting(address, 'other', seen)
  await one.end()
  await other.until('begins')
  await other.end()
  assert.deepEqual(seen, ['one begins', 'one ends', 'other begins', 'other ends'])
})

test('a program that loses its connection has lost its duties, and takes them again where none else has', async () => {
  const address = await newDatabase()
  const storage = await openStorage(address, { clock: manualClock(), create: true })
  const seen: string[] = []
  const one = wanting(address, 'one', seen)
  await one.until('begins')
  seen.length = 0
  await storage.database.run(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'trunkline duties'`)
  await one.until('begins')
  assert.deepEqual(seen, ['one ends', 'one begins'])
  await one.end()
  await storage.close()
})

test('a program that hears nothing more from the server gives its duties up within 5 seconds', async () => {
  const proxy = await byteProxy(await newDatabase())
  const seen: string[] = []
  const one = wanting(proxy.address, 'one', seen)
  await one.until('begins')
  const since = performance.now()
  proxy.silence()
  await one.until('ends')
  assert.ok(performance.now() - since < 5_000)
  await proxy.close()
  await one.end()
})
