import { AppError } from '../../../core/errors.ts'
import type { Database } from './database.ts'
import { acceptsLoss } from './options.ts'
import { raw, sql } from './sql.ts'

const OLDEST = 150_000

/** Throws `configuration` if the server is too old, may lose what it acknowledges, or cannot hold every text. */
export async function assertFit(database: Database, address: string): Promise<void> {
  const refuse = (reason: string, hint: string): never => {
    throw new AppError('configuration', reason, { hint })
  }
  const setting = async (name: string): Promise<string> =>
    (await database.value<string>(sql`SELECT current_setting(${name})`)) ?? ''
  if (Number(await setting('server_version_num')) < OLDEST)
    refuse('The database server is older than PostgreSQL 15.', 'upgrade the server')
  if (database.spread && !(await database.value<boolean>(raw(database.spread.isFit))))
    refuse('The address is of a cluster, but the server is not one.', database.spread.hint)
  if ((await setting('server_encoding')) !== 'UTF8')
    refuse('The database is not encoded in UTF8.', `CREATE DATABASE trunkline ENCODING 'UTF8' TEMPLATE template0`)
  if ((await setting('fsync')) !== 'on' && !acceptsLoss(address))
    refuse('The database server has fsync off, so it may lose what it has acknowledged.', 'set fsync = on')
}
