import type { Changed } from '../../ports/switching.ts'
import { isNothing, NOTHING_CHANGED, together } from '../changes.ts'

export interface DidOwner {
  readonly id: number
  readonly tenantId: number
}

/** Finds the DID of a phone number. */
export interface DidNumbers {
  /** Marks what has to be read again, without reading it. */
  changed(changed: Changed): void
  /** Returns the DID with these digits: among several records, the one with the smallest id. */
  find(digits: string): Promise<DidOwner | null>
}

/** Where the numbers are read. */
export interface DidSource {
  /** Returns the tenants that have DIDs. */
  tenants(): Iterable<number> | Promise<Iterable<number>>
  /** Returns a tenant's numbers, as its country reads them. */
  numbers(tenantId: number): Promise<readonly DidNumber[]>
}

export type DidNumber = readonly [digits: string, id: number]

export interface DidIndex {
  /** Marks what has to be read again. */
  changed(changed: Changed): void
  /** True until everything marked has been read. */
  isBehind(): boolean
  /** Reads what is marked, once for all who ask meanwhile. If that fails, the next call reads everything. */
  catchUp(): Promise<void>
  /** Returns what was last read: the DID with these digits that has the smallest id. */
  find(digits: string): DidOwner | null
}

/** Keeps the numbers of DIDs in memory, some 200 bytes each. Begins behind. */
export function didIndex(source: DidSource): DidIndex {
  const numbers = numbersByDigits()
  let pending: Changed = 'all'
  let running: Promise<void> | null = null
  const readPending = async (): Promise<void> => {
    while (!isNothing(pending)) {
      const taken = pending
      pending = NOTHING_CHANGED
      try {
        const tenants = taken === 'all' ? new Set([...(await source.tenants()), ...numbers.tenants()]) : taken
        for (const tenantId of tenants) numbers.replace(tenantId, await source.numbers(tenantId))
      } catch (error) {
        pending = 'all'
        throw error
      }
    }
  }
  return {
    changed: changed => {
      pending = together(pending, changed)
    },
    isBehind: () => running !== null || !isNothing(pending),
    catchUp: () => {
      running ??= readPending().finally(() => {
        running = null
      })
      return running
    },
    find: numbers.find,
  }
}

function numbersByDigits() {
  /** By digits, smallest id first. */
  const owners = new Map<string, readonly DidOwner[]>()
  const byTenant = new Map<number, readonly string[]>()
  const forget = (tenantId: number): void => {
    for (const digits of byTenant.get(tenantId) ?? []) {
      const left = owners.get(digits)?.filter(owner => owner.tenantId !== tenantId) ?? []
      if (left.length > 0) owners.set(digits, left)
      else owners.delete(digits)
    }
    byTenant.delete(tenantId)
  }
  return {
    tenants: () => byTenant.keys(),
    find: (digits: string): DidOwner | null => owners.get(digits)?.[0] ?? null,
    /** Replaces all numbers of a tenant. */
    replace: (tenantId: number, numbers: readonly DidNumber[]): void => {
      forget(tenantId)
      for (const [digits, id] of numbers) {
        const all = [...(owners.get(digits) ?? []), { id, tenantId }]
        owners.set(
          digits,
          all.toSorted((one, other) => one.id - other.id),
        )
      }
      const kept = numbers.map(([digits]) => digits)
      if (kept.length > 0) byTenant.set(tenantId, kept)
    },
  }
}
