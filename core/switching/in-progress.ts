import type { CallsInProgress, LiveCall } from '../ports/switching.ts'

export interface CallIndex extends CallsInProgress {
  /** Adds a call, or replaces the one with its id. */
  set(call: LiveCall): void
  get(id: string): LiveCall | undefined
  delete(id: string): void
  readonly size: number
  /** Returns all but the call with that id. */
  except(id: string): CallsInProgress
}

export function callIndex(calls: Iterable<LiveCall> = []): CallIndex {
  const byId = new Map<string, LiveCall>()
  const byTenant = new Map<string, Map<string, LiveCall>>()
  const byTrunk = new Map<string, number>()
  const count = (trunk: string | null, more: number): void => {
    if (trunk !== null) byTrunk.set(trunk, (byTrunk.get(trunk) ?? 0) + more)
  }
  const onTrunk = (name: string): number => byTrunk.get(name) ?? 0
  const index: CallIndex = {
    get size() {
      return byId.size
    },
    get: id => byId.get(id),
    set: call => {
      const { id, tenant, trunk } = call
      index.delete(id)
      byId.set(id, call)
      count(trunk, 1)
      if (tenant === null) return
      const own = byTenant.get(tenant) ?? new Map()
      byTenant.set(tenant, own.set(id, call))
    },
    delete: id => {
      const { tenant, trunk } = byId.get(id) ?? { tenant: null, trunk: null }
      byId.delete(id)
      count(trunk, -1)
      if (tenant !== null) byTenant.get(tenant)?.delete(id)
    },
    ofTenant: slug => [...(byTenant.get(slug)?.values() ?? [])],
    onTrunk,
    except: id => ({
      ofTenant: slug => index.ofTenant(slug).filter(call => call.id !== id),
      onTrunk: name => onTrunk(name) - (byId.get(id)?.trunk === name ? 1 : 0),
    }),
  }
  for (const call of calls) index.set(call)
  return index
}

export const NO_CALLS: CallsInProgress = callIndex()
