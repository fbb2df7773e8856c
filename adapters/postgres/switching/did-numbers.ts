import type { Dialling } from '../../../core/dialling/read-number.ts'
import { type DidNumber, type DidNumbers, didIndex } from '../../../core/switching/stored/did-index.ts'
import type { Database } from '../database/database.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import { sql } from '../database/sql.ts'

const PAGE = 5_000

/**
 * Keeps the numbers of DIDs: they are stored as written, and compared as their tenant's country reads them. After a
 * change, reads the tenant's numbers again before it answers anyone.
 */
export function didNumbers(database: Database, diallingOf: (tenantId: number) => Promise<Dialling | null>): DidNumbers {
  const numbersOf = async (tenantId: number): Promise<readonly DidNumber[]> => {
    const dialling = await diallingOf(tenantId)
    if (!dialling) return []
    const numbers: DidNumber[] = []
    const after = (id: number) =>
      sql`SELECT id, number FROM dids WHERE tenant_id = ${tenantId} AND id > ${id} ORDER BY id`
    for await (const rows of keyPages<{ id: number; number: string }>(database, PAGE, idOf, after))
      for (const { id, number } of rows) {
        const { digits } = dialling.read(number)
        if (digits) numbers.push([digits, id])
      }
    return numbers
  }
  const index = didIndex({
    tenants: () => database.values<number>(sql`SELECT DISTINCT tenant_id FROM dids`),
    numbers: numbersOf,
  })
  return {
    changed: index.changed,
    find: async digits => {
      await index.catchUp()
      return index.find(digits)
    },
  }
}
