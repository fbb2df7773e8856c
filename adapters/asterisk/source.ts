import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Changed, LimitUsage, RatedPrefixes, SwitchDirectory } from '../../core/ports/switching.ts'
import { isActive } from '../../core/rating/deck.ts'
import { type DialledForm, dialledForms } from '../../core/switching/dialled-forms.ts'
import type { TenantDirectory, Trunk } from '../../core/switching/directory.ts'
import { type Rendered, renderFiles } from './render/files.ts'
import { isAnyCounted, isAnyRated } from './render/limits.ts'
import { renderTenant, type TenantText } from './render/tenant.ts'

export interface SourceParts {
  readonly directory: SwitchDirectory
  readonly usage: LimitUsage
  readonly rates: RatedPrefixes
}

export interface Source {
  /** Reads what has changed, and renders everything. */
  refresh(changed: Changed): Promise<Rendered>
  /** Returns the slugs of inactive tenants, including those deleted since this source was created. */
  inactive(): ReadonlySet<string>
  /** Returns the ids of tenants whose files change with their calls, or with time. */
  limited(): ReadonlySet<number>
}

interface Known {
  readonly text: TenantText
  readonly isActive: boolean
  readonly isLimited: boolean
  readonly reader: string
}

/** The context that reads what a tenant's phones dial; shared by tenants with the same rules. */
const readerOf = ({ dialling }: TenantDirectory): string =>
  `tl-read-${createHash('sha256').update(dialling.key).digest('hex').slice(0, 12)}`

/** Renders one tenant. */
export async function textOf(
  { usage, rates }: Pick<SourceParts, 'usage' | 'rates'>,
  directory: TenantDirectory,
): Promise<TenantText> {
  const { tenant, dialling, limits } = directory
  const prefixes = isAnyRated(limits) ? await rates.of(tenant.id) : []
  const ratedPrefixes = prefixes.map(dialling.prefix).filter(each => each !== '')
  return renderTenant({ directory, used: await usage.of(tenant), ratedPrefixes, reader: readerOf(directory) })
}

/** Renders the database; reads a tenant again only after a change. */
export function source({ directory, usage, rates }: SourceParts): Source {
  const byTenant = new Map<number, Known>()
  const gone = new Set<string>()
  const readers = new Map<string, readonly DialledForm[]>()
  let trunks: readonly Trunk[] = []

  const read = async (found: TenantDirectory): Promise<void> => {
    const { tenant, dialling, limits } = found
    const reader = readerOf(found)
    if (!readers.has(reader)) readers.set(reader, await dialledForms(dialling, nextTurn))
    const text = await textOf({ usage, rates }, found)
    const isLimited = isAnyRated(limits) || isAnyCounted(limits)
    byTenant.set(tenant.id, { text, reader, isActive: isActive(tenant.status), isLimited })
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
  return {
    refresh: async changed => {
      const isEachKnown = changed !== 'all' && [...changed].every(id => byTenant.has(id))
      if (!isEachKnown) await readAll()
      else
        for (const id of changed) {
          const found = await directory.whole(byTenant.get(id)?.text.slug ?? '')
          // It has another slug now, or is gone.
          if (found?.tenant.id !== id) {
            await readAll()
            break
          }
          await read(found)
        }
      const tenants = [...byTenant].sort(([one], [other]) => one - other).map(([, tenant]) => tenant)
      const inUse = new Set(tenants.filter(each => each.isActive).map(({ reader }) => reader))
      return renderFiles({
        tenants: tenants.map(({ text }) => text),
        trunks: trunks.toSorted((one, other) => one.id - other.id),
        readers: new Map(
          [...readers].filter(([name]) => inUse.has(name)).sort(([one], [other]) => (one < other ? -1 : 1)),
        ),
      })
    },
    inactive: () =>
      new Set([...gone, ...[...byTenant.values()].filter(each => !each.isActive).map(({ text }) => text.slug)]),
    limited: () => new Set([...byTenant].filter(([, { isLimited }]) => isLimited).map(([id]) => id)),
  }
}
