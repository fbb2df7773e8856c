import { AppError } from '../../../core/errors.ts'
import { CuttableClient } from './connections/silence.ts'
import type { Database } from './database.ts'
import { acceptsLoss, clientConfig } from './options.ts'
import { raw, sql } from './sql.ts'

const OLDEST = 150_000
const POOLER = 'set pool_mode = session in PgBouncer'
const LOOKS = 5

/** Throws `configuration` if the server is too old, may lose what it acknowledges, or cannot hold every text. */
export async function assertFit(database: Database, address: string): Promise<void> {
  const refuse = (reason: string, hint: string): never => {
    throw new AppError('configuration', reason, { hint })
  }
  const setting = async (name: string): Promise<string> =>
    (await database.value<string>(sql`SELECT current_setting(${name})`)) ?? ''
  if (Number(await setting('server_version_num')) < OLDEST)
    refuse('The database server is older than PostgreSQL 15.', 'upgrade the server')
  if ((await database.isPooled()) && (await sharesSessions(address)))
    refuse('A connection pooler gives each transaction another session of the database server.', POOLER)
  if (database.spread && !(await database.value<boolean>(raw(database.spread.isFit))))
    refuse('The address is of a cluster, but the server is not one.', database.spread.hint)
  if ((await setting('server_encoding')) !== 'UTF8')
    refuse('The database is not encoded in UTF8.', `CREATE DATABASE trunkline ENCODING 'UTF8' TEMPLATE template0`)
  if ((await setting('fsync')) !== 'on' && !acceptsLoss(address))
    refuse('The database server has fsync off, so it may lose what it has acknowledged.', 'set fsync = on')
}

/** Whether two connections come to the same process of the server, or one to several, as in PgBouncer's transaction mode. */
async function sharesSessions(address: string): Promise<boolean> {
  const clients = [new CuttableClient(clientConfig(address)), new CuttableClient(clientConfig(address))] as const
  for (const client of clients) client.on('error', () => undefined)
  const seen = clients.map(() => new Set<number>())
  try {
    for (const client of clients) await client.connect()
    for (let looks = 0; looks < LOOKS; looks++)
      for (const [place, client] of clients.entries()) seen[place]?.add(await client.ownBackend())
  } finally {
    await Promise.all(clients.map(client => client.end()))
  }
  const [one, other] = seen
  return seen.some(({ size }) => size > 1) || [...(one ?? [])].some(backend => other?.has(backend))
}
