import type { Dialling } from '../../../core/dialling/dialling.ts'
import type { Changed } from '../../../core/ports/switching.ts'
import type { Connection } from '../database/database.ts'

/** Finds the DID of a phone number. */
export interface DidNumbers {
  /** Marks what has to be read again, without reading it. */
  changed(changed: Changed): void
  /** Returns the DID with these digits: among several records, the one with the smallest id. */
  find(digits: string): Promise<DidOwner | null>
}

export interface DidOwner {
  readonly id: number
  readonly tenantId: number
}

/** Numbers read at once: some milliseconds. */
const PAGE = 1_000

/**
 * Keeps the numbers of DIDs, some 200 bytes each: they are stored as written, and compared as their tenant's country
 * reads them. After a change, reads the tenant's numbers again, in steps; meanwhile a match counts if its record still
 * has that number.
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
  /** By digits, smallest id first. */
  const owners = new Map<string, readonly DidOwner[]>()
  const byTenant = new Map<number, readonly string[]>()
  let pending: Changed = 'all'
  let running: Promise<void> | null = null

  const replace = (tenantId: number, numbers: readonly (readonly [digits: string, id: number])[]): void => {
    for (const digits of byTenant.get(tenantId) ?? []) {
      const left = owners.get(digits)?.filter(owner => owner.tenantId !== tenantId) ?? []
      if (left.length > 0) owners.set(digits, left)
      else owners.delete(digits)
    }
    for (const [digits, id] of numbers)
      owners.set(
        digits,
        [...(owners.get(digits) ?? []), { id, tenantId }].toSorted((a, b) => a.id - b.id),
      )
    if (numbers.length > 0)
      byTenant.set(
        tenantId,
        numbers.map(([digits]) => digits),
      )
    else byTenant.delete(tenantId)
  }
  const reread = async (tenantId: number): Promise<void> => {
    const turn = turns.begin()
    const dialling = diallingOf(tenantId)
    const numbers: (readonly [string, number])[] = []
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
    replace(tenantId, numbers)
  }
  const catchUp = async (): Promise<void> => {
    while (pending === 'all' || pending.size > 0) {
      const taken = pending
      pending = new Set()
      const tenants = taken === 'all' ? new Set([...allTenants.all(), ...byTenant.keys()]) : taken
      try {
        for (const tenantId of tenants) await reread(tenantId)
      } catch (error) {
        pending = 'all'
        throw error
      }
    }
  }
  const isBehind = (): boolean => running !== null || pending === 'all' || pending.size > 0
  const still = (digits: string): DidOwner | null => {
    const [owner] = owners.get(digits) ?? []
    if (!owner || !isBehind()) return owner ?? null
    const [tenantId, number] = record.get(owner.id) ?? []
    const isSame = tenantId === owner.tenantId && diallingOf(tenantId)?.read(number ?? '').digits === digits
    return isSame ? owner : null
  }
  return {
    changed: changed => {
      pending = pending === 'all' || changed === 'all' ? 'all' : new Set([...pending, ...changed])
    },
    find: async digits => {
      if (isBehind() && running === null) {
        running = catchUp().finally(() => {
          running = null
        })
        // Whoever waits for it gets the error; the next question tries again.
        running.catch(() => undefined)
      }
      const owner = still(digits)
      if (owner || running === null) return owner
      await running
      return owners.get(digits)?.[0] ?? null
    },
  }
}
