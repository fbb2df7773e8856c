import { openStorage, type SqliteStorage } from '../../../adapters/sqlite/storage.ts'
import type { Timestamp } from '../../../core/dates.ts'
import { manualClock } from '../clock.ts'

/** The same database as another process sees it at that moment. */
export async function later<T>(
  path: string,
  moment: Timestamp,
  act: (storage: SqliteStorage) => Promise<T>,
): Promise<T> {
  const storage = openStorage(path, { clock: manualClock(moment) })
  try {
    return await act(storage)
  } finally {
    await storage.close()
  }
}

export interface StoredRate {
  readonly id: number
  readonly tenant_id: number
  readonly prefix: string
  readonly cost_per_minute: number
  readonly destination: string
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const storedRates = ({ connection }: Pick<SqliteStorage, 'connection'>, tenantId: number): StoredRate[] =>
  connection.query<[number], StoredRate>('SELECT * FROM rates WHERE tenant_id = ? ORDER BY id').all(tenantId)

/** Each rate as its id, prefix and price. */
export const inShort = (found: readonly StoredRate[]): string[] =>
  found.map(({ id, prefix, cost_per_minute }) => `${id} ${prefix} ${cost_per_minute}`)
