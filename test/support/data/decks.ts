import type { Timestamp } from '../../../core/dates.ts'
import type { Storage } from '../../../core/ports/storage.ts'
import { manualClock } from '../clock.ts'
import { onDatabase } from '../storages.ts'
import { rowsOf } from './stored.ts'

/** The same database as another process sees it at that moment. */
export const later = <T>(db: string, moment: Timestamp, act: (storage: Storage) => Promise<T>): Promise<T> =>
  onDatabase(db, manualClock(moment), act)

export interface StoredRate {
  readonly id: number
  readonly tenant_id: number
  readonly prefix: string
  readonly cost_per_minute: number
  readonly destination: string
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const storedRates = (storage: Storage, tenantId: number): Promise<StoredRate[]> =>
  rowsOf(storage, `SELECT * FROM rates WHERE tenant_id = ${tenantId} ORDER BY id`)

/** Each rate as its id, prefix and price. */
export const inShort = (found: readonly StoredRate[]): string[] =>
  found.map(({ id, prefix, cost_per_minute }) => `${id} ${prefix} ${cost_per_minute}`)
