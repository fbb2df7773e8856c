import { databaseAt } from '../../adapters/sqlite/storage.ts'
import type { Settings } from '../../config/settings.ts'
import { isServerAddress } from '../../core/database-address.ts'
import type { DatabasePlace } from '../../core/ports/storage.ts'

export type Located = Pick<Settings, 'db' | 'db_password_file'>

/** Returns the place of the database in the settings. Loads the driver of a server only for its address. */
export async function databasePlace({ db, db_password_file: passwordFile }: Located): Promise<DatabasePlace> {
  if (!isServerAddress(db)) return databaseAt(db)
  const { postgres } = await import('../../adapters/postgres/storage.ts')
  return postgres.databaseAt(passwordFile === null ? db : postgres.withPasswordFile(db, passwordFile))
}
