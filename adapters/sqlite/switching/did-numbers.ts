import type { Dialling } from '../../../core/dialling/read-number.ts'
import { type DidNumber, type DidNumbers, type DidOwner, didIndex } from '../../../core/switching/stored/did-index.ts'
import type { Connection } from '../database/database.ts'

/** Numbers read at once: some milliseconds. */
const PAGE = 1_000

/**
 * Keeps the numbers of DIDs: they are stored as written, and compared as their tenant's country reads them. After a
 * change, reads the tenant's numbers again, in steps; meanwhile a match counts if its record still has that number.
 */
export function didNumbers(
  { rows, value, turns }: Connection,
  diallingOf: (tenantId: number) => Dialling | null,
): DidNumbers {
  const page = rows<[number, number], [id: number, number: string]>(
    `SELECT id, number FROM dids WHERE tenant_id = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const record = rows<[number], [tenantId: number, number: string]>('SELECT tenant_id, number FROM dids WHERE id = ?')
  const allTenants = value<[], number>('SELECT DISTINCT tenant_id FROM dids')

  const numbersOf = async (tenantId: number): Promise<readonly DidNumber[]> => {
    const turn = turns.begin()
    const dialling = diallingOf(tenantId)
    const numbers: DidNumber[] = []
    for (let last = 0, isMore = dialling !== null; isMore; ) {
      const found = await turn(() => {
        const read = page.all(tenantId, last)
        for (const [id, number] of read) {
          const digits = dialling?.read(number).digits
          if (digits) numbers.push([digits, id])
        }
        return read
      })
      last = found.at(-1)?.[0] ?? last
      isMore = found.length === PAGE
    }
    return numbers
  }
  const index = didIndex({ tenants: () => allTenants.all(), numbers: numbersOf })
  const still = (digits: string): DidOwner | null => {
    const owner = index.find(digits)
    if (!owner || !index.isBehind()) return owner
    const [tenantId, number] = record.get(owner.id) ?? []
    const isSame = tenantId === owner.tenantId && diallingOf(tenantId)?.read(number ?? '').digits === digits
    return isSame ? owner : null
  }
  return {
    changed: index.changed,
    find: async digits => {
      if (!index.isBehind()) return index.find(digits)
      const reading = index.catchUp()
      // Whoever waits for it gets the error; the next question tries again.
      reading.catch(() => undefined)
      const owner = still(digits)
      if (owner) return owner
      await reading
      return index.find(digits)
    },
  }
}
