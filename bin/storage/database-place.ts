import { citus } from '../../adapters/citus/citus.ts'
import { databaseAt } from '../../adapters/sqlite/storage.ts'
import type { Settings } from '../../config/settings.ts'
import { isServerAddress } from '../../core/database-address.ts'
import { AppError } from '../../core/errors.ts'
import type { DatabasePlace } from '../../core/ports/storage.ts'

/** The last one is for making a database. */
export type Located = Pick<Settings, 'db' | 'db_password_file'> & Partial<Pick<Settings, 'cdr_partitions'>>

/**
 * Returns the place of the database in the settings. Loads the driver of a server only for its address. Throws
 * `configuration` for partitions by month on Citus.
 */
export async function databasePlace({
  db,
  db_password_file: passwordFile,
  cdr_partitions: partitions,
}: Located): Promise<DatabasePlace> {
  if (!isServerAddress(db)) return databaseAt(db)
  const { postgres } = await import('../../adapters/postgres/storage.ts')
  const address = passwordFile === null ? db : postgres.withPasswordFile(db, passwordFile)
  const isCitus = /^citus:/i.test(db)
  if (isCitus && partitions === 'month')
    throw new AppError('configuration', 'cdr_partitions: Citus spreads calls by tenant, not by month.', {
      hint: 'remove the setting, or use one PostgreSQL server (postgres://…)',
    })
  return postgres.databaseAt(address, { callsByMonth: partitions === 'month' }, isCitus ? citus : null)
}
