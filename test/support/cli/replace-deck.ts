import type { Timestamp } from '../../../core/dates.ts'
import { packed } from '../../../core/packed-records.ts'
import type { Bulk, BulkCounts } from '../../../core/ports/bulk.ts'
import { rates } from '../../../core/resources/rates.ts'

/**
 * A rate of a deck: its prefix, its price in units of 0.0001, and its destination if it does not follow from the
 * prefix.
 */
export type DeckRow = readonly [prefix: string, price: number, destination?: string]

/** The outcome of a file with these rates with `--mode replace`, by 60 seconds each. */
export async function replaceDeck(
  { bulk }: { readonly bulk: Bulk },
  tenantId: number,
  rows: readonly DeckRow[],
  effectiveAt: Timestamp | null = null,
  approved?: BulkCounts,
): Promise<BulkCounts> {
  const load = bulk.load({
    resource: rates,
    columns: ['prefix', 'cost_per_minute', 'destination'],
    constants: { tenant_id: tenantId, billing_increment: 60, status: 'active' },
    isSparse: false,
    mode: 'replace',
    replacement: { tenantId, effectiveAt },
    onRejection: 'store nothing',
    allowDuplicates: false,
    formerMark: null,
    before: 0,
    noted: { file: 'deck.csv', tenant_id: tenantId },
  })
  try {
    const records = rows.map(([prefix, price, destination = `to ${prefix}`], row) => {
      return { row, line: row + 2, raw: null, values: [prefix, price, destination] }
    })
    await load.add([packed(records)])
    return await load.store(() => ({ input: '', mark: '' }), approved)
  } finally {
    await load.close()
  }
}
