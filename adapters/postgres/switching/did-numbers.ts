import type { Dialling } from '../../../core/dialling/dialling.ts'
import type { Changed } from '../../../core/ports/switching.ts'
import type { Database } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'

/** Finds the DID that a telephone number belongs to. */
export interface DidNumbers {
  /** Marks what must be read again; reads nothing yet. */
  changed(changed: Changed): void
  /** The DID with these digits; if several records have them, the one with the smallest id. */
  find(digits: string): Promise<DidOwner | null>
}

export interface DidOwner {
  readonly id: number
  readonly tenantId: number
}

const PAGE = 5_000

type Numbers = readonly (readonly [digits: string, id: number])[]

/**
 * Numbers are stored as written and compared as their tenant's country reads them, so they are read once and cached,
 * at some 200 bytes each. After a change, the tenant's numbers are read again before the next answer.
 */
export function didNumbers(database: Database, diallingOf: (tenantId: number) => Promise<Dialling | null>): DidNumbers {
  /** By digits; the smallest id comes first. */
  const owners = new Map<string, readonly DidOwner[]>()
  const byTenant = new Map<number, Numbers>()
  let pending: Changed = 'all'
  let running: Promise<void> | null = null

  const replace = (tenantId: number, numbers: Numbers): void => {
    for (const [digits] of byTenant.get(tenantId) ?? []) {
      const left = owners.get(digits)?.filter(owner => owner.tenantId !== tenantId) ?? []
      if (left.length > 0) owners.set(digits, left)
      else owners.delete(digits)
    }
    for (const [digits, id] of numbers) {
      const all = [...(owners.get(digits) ?? []), { id, tenantId }]
      owners.set(
        digits,
        all.toSorted((a, b) => a.id - b.id),
      )
    }
    if (numbers.length > 0) byTenant.set(tenantId, numbers)
    else byTenant.delete(tenantId)
  }
  const reread = async (tenantId: number): Promise<void> => {
    const dialling = await diallingOf(tenantId)
    const numbers: (readonly [string, number])[] = []
    for (let last = 0, isMore = dialling !== null; isMore; ) {
      const rows = await database.rows<{ id: number; number: string }>(sql`SELECT id, number FROM dids
        WHERE tenant_id = ${tenantId} AND id > ${last} ORDER BY id LIMIT ${raw(String(PAGE))}`)
      for (const { id, number } of rows) {
        const digits = dialling?.read(number).digits
        if (digits) numbers.push([digits, id])
      }
      last = rows.at(-1)?.id ?? last
      isMore = rows.length === PAGE
    }
    replace(tenantId, numbers)
  }
  const catchUp = async (): Promise<void> => {
    while (pending === 'all' || pending.size > 0) {
      const taken: Changed = pending
      pending = new Set()
      try {
        const tenants =
          taken === 'all'
            ? new Set([
                ...(await database.values<number>(sql`SELECT DISTINCT tenant_id FROM dids`)),
                ...byTenant.keys(),
              ])
            : taken
        for (const tenantId of tenants) await reread(tenantId)
      } catch (error) {
        pending = 'all'
        throw error
      }
    }
  }
  return {
    changed: changed => {
      pending = pending === 'all' || changed === 'all' ? 'all' : new Set([...pending, ...changed])
    },
    find: async digits => {
      running ??= catchUp().finally(() => {
        running = null
      })
      await running
      return owners.get(digits)?.[0] ?? null
    },
  }
}
