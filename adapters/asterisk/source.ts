import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Changed, RatedPrefixes, SwitchDirectory, UsedBy } from '../../core/ports/switching.ts'
import { isActive } from '../../core/rating/deck.ts'
import { type DialledForm, dialledForms } from '../../core/switching/dialled-forms.ts'
import type { TenantDirectory, Trunk } from '../../core/switching/directory.ts'
import { isPriced } from '../../core/switching/limits/limits.ts'
import { type Owner, type Spender, spentBy } from '../../core/switching/stored/costs-so-far.ts'
import { type Rendered, renderFiles } from './render/files.ts'
import { isAnyCounted, isAnyRated } from './render/limits.ts'
import { renderTenant, type TenantText } from './render/tenant.ts'
import type { TelephonePlace } from './telephone-place.ts'

export interface SourceParts {
  readonly directory: SwitchDirectory
  readonly rates: RatedPrefixes
  /** Returns what the tenant and its extensions have used of their limits. */
  used(spender: Spender): Promise<UsedBy>
}

export interface Source {
  /** Reads what has changed, and renders everything. */
  refresh(changed: Changed): Promise<Rendered>
  /** Returns the slugs of inactive tenants, including those deleted since this source was created. */
  inactive(): ReadonlySet<string>
  /** Returns the ids of tenants whose files change with their calls, or with time. */
  limited(): ReadonlySet<number>
  /** True if any tenant has a limit on cost. */
  isPriced(): boolean
  /** Returns the ids of those tenants with these slugs in which a limit on cost was reached after the last refresh. */
  newlySpent(slugs: ReadonlySet<string>): Promise<ReadonlySet<number>>
}

interface Known {
  readonly text: Omit<TenantText, 'telephones'>
  /** What `pjsip.conf` holds of its telephones. */
  readonly telephones: string
  readonly isActive: boolean
  readonly isLimited: boolean
  /** null without a limit on cost. */
  readonly spender: Spender | null
  /** Who had reached a limit on cost. */
  readonly spent: ReadonlySet<Owner>
  readonly reader: string
}

/** The context that reads what a tenant's phones dial; shared by tenants with the same rules. */
const readerOf = ({ dialling }: TenantDirectory): string =>
  `tl-read-${createHash('sha256').update(dialling.key).digest('hex').slice(0, 12)}`

/** Keeps the little of a directory that tells who spends what. */
const spenderOf = ({ tenant, limits, extensions }: TenantDirectory): Spender => ({
  ...{ tenant, limits },
  extensions: new Map([...extensions].map(([number, { id }]) => [number, { id }])),
})

/** Renders one tenant. */
export async function textOf(rates: RatedPrefixes, directory: TenantDirectory, used: UsedBy): Promise<TenantText> {
  const { tenant, dialling, limits } = directory
  const prefixes = isAnyRated(limits) ? await rates.of(tenant.id) : []
  const ratedPrefixes = prefixes.map(dialling.prefix).filter(each => each !== '')
  return renderTenant({ directory, used, ratedPrefixes, reader: readerOf(directory) })
}

/** Renders the database, and puts the telephones into their place; reads a tenant again only after a change. */
export function source({ directory, used, rates }: SourceParts, place: TelephonePlace): Source {
  const byTenant = new Map<number, Known>()
  const gone = new Set<string>()
  const readers = new Map<string, readonly DialledForm[]>()
  /** The rules of those that are still to be derived. */
  const missing = new Map<string, TenantDirectory['dialling']>()
  let trunks: readonly Trunk[] = []
  /** False after a failure: what was put into a place may be lost. */
  let isWhole = false

  const read = async (found: TenantDirectory): Promise<void> => {
    const { tenant, dialling, limits } = found
    const reader = readerOf(found)
    const usedNow = await used(found)
    const { telephones, ...text } = await textOf(rates, found, usedNow)
    const inFile = await place.put(tenant.id, telephones)
    if (isActive(tenant.status) && !readers.has(reader)) missing.set(reader, dialling)
    byTenant.set(tenant.id, {
      text,
      telephones: inFile,
      reader,
      isActive: isActive(tenant.status),
      isLimited: isAnyRated(limits) || isAnyCounted(limits),
      spender: isPriced(limits) ? spenderOf(found) : null,
      spent: spentBy(found, usedNow),
    })
    gone.delete(tenant.slug)
    trunks = [...found.trunks.values()]
  }
  const forget = (id: number): void => {
    const former = byTenant.get(id)
    if (former) gone.add(former.text.slug)
    byTenant.delete(id)
  }
  const readAll = async (): Promise<void> => {
    const left = new Set(byTenant.keys())
    for await (const found of directory.all()) {
      await read(found)
      left.delete(found.tenant.id)
    }
    for (const id of left) forget(id)
  }
  const readChanged = async (changed: Changed): Promise<void> => {
    if (!isWhole || changed === 'all' || ![...changed].every(id => byTenant.has(id))) return readAll()
    for (const id of changed) {
      const found = await directory.whole(byTenant.get(id)?.text.slug ?? '')
      // It has another slug now, or is gone.
      if (found?.tenant.id !== id) return readAll()
      await read(found)
    }
  }
  const deriveReaders = async (): Promise<void> => {
    for (const [reader, dialling] of missing) {
      readers.set(reader, await dialledForms(dialling, nextTurn))
      missing.delete(reader)
    }
  }
  const rendered = (remark: string): Rendered => {
    const tenants = [...byTenant].sort(([one], [other]) => one - other).map(([, tenant]) => tenant)
    const inUse = new Set(tenants.filter(each => each.isActive).map(({ reader }) => reader))
    return renderFiles({
      tenants: tenants.map(({ text }) => text),
      telephones: [...tenants.map(({ telephones }) => telephones), remark],
      trunks: trunks.toSorted((one, other) => one.id - other.id),
      readers: new Map(
        [...readers].filter(([name]) => inUse.has(name)).sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    })
  }
  return {
    refresh: async changed => {
      try {
        await readChanged(changed)
        const remark = await place.settle(new Set(byTenant.keys()))
        // This can take seconds, and no telephone need wait for it.
        await deriveReaders()
        isWhole = true
        return rendered(remark)
      } catch (error) {
        isWhole = false
        throw error
      }
    },
    inactive: () =>
      new Set([...gone, ...[...byTenant.values()].filter(each => !each.isActive).map(({ text }) => text.slug)]),
    isPriced: () => [...byTenant.values()].some(({ spender }) => spender !== null),
    newlySpent: async slugs => {
      const found = new Set<number>()
      for (const [id, { spender, spent }] of byTenant) {
        if (spender === null || !slugs.has(spender.tenant.slug)) continue
        const now = spentBy(spender, await used(spender))
        if ([...now].some(owner => !spent.has(owner))) found.add(id)
      }
      return found
    },
    limited: () => new Set([...byTenant].filter(([, { isLimited }]) => isLimited).map(([id]) => id)),
  }
}
