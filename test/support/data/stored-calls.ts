import type { Storage } from '../../../core/ports/storage.ts'
import { rowsOf } from './stored.ts'

export interface StoredCall {
  readonly id: number
  readonly tenant_id: number
  readonly extension_id: number | null
  readonly caller_number: string
  readonly destination_number: string
  readonly direction: string
  readonly disposition: string
  readonly duration_seconds: number
  readonly bill_seconds: number
  readonly cost: number
  readonly started_at: string
  readonly ended_at: string | null
  readonly switch_call_id: string | null
  readonly source: string | null
  readonly outcome: string | null
  readonly rate_id: number | null
  readonly prefix: string | null
}

/** Calls and their ratings, to be joined by the id alone: on a cluster, whole tables are not. */
const BOTH = 'WITH c AS MATERIALIZED (SELECT * FROM cdrs), r AS MATERIALIZED (SELECT * FROM cdr_ratings)'

/** All stored calls without ids and storing times, in an order independent of the order of storing. */
export const contentOf = (storage: Storage): Promise<StoredCall[]> =>
  rowsOf(
    storage,
    `${BOTH} SELECT c.tenant_id, c.extension_id, c.caller_number, c.destination_number, c.direction, c.disposition,
       c.duration_seconds, c.bill_seconds, c.cost, c.started_at, c.ended_at, r.source, r.switch_call_id, r.outcome,
       r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment
     FROM c LEFT JOIN r ON r.cdr_id = c.id ORDER BY r.source, r.switch_call_id, c.id`,
  )

/** All stored calls with their ratings, in the order of the switch's ids. */
export const storedCalls = (storage: Storage): Promise<StoredCall[]> =>
  rowsOf(
    storage,
    `${BOTH} SELECT c.*, r.* FROM c LEFT JOIN r ON r.cdr_id = c.id ORDER BY r.switch_call_id NULLS FIRST, c.id`,
  )
