import { AppError, invalid, notFound } from '../errors.ts'
import type { Page, PageQuery, Records, Selection, ServedRecords } from '../ports/records.ts'
import { resourceNamed } from '../resources/all.ts'
import { tenantSide } from '../resources/references/within.ts'
import type { Fields, Resource, Row } from '../resources/resource.ts'
import { tenants } from '../resources/tenants.ts'
import { dangling, mergeErrors } from '../resources/values/field-errors.ts'
import { assertUnreserved, seenBy } from './fields.ts'
import { isShared, type Viewer } from './policy.ts'

/**
 * The port for records as an account may use it: what it may not see is not there, in whatever way it is asked for, and
 * its views leave out the fields that it may not see. What it may do with the rest is told before; see `refusal`.
 */
export function confinedRecords(records: Records, viewer: Viewer): ServedRecords {
  const { find, isVisible, unseen } = sightOf(records, viewer)
  const seen = (resource: Resource): Resource => seenBy(viewer, resource)

  const violations: Records['violations'] = async (resource, values, id) => {
    const hidden = await unseen(resource.fields, values)
    // What is hidden breaks no rule that would tell of it.
    const shown = Object.fromEntries(Object.entries(values).filter(([name]) => !hidden.includes(name)))
    return mergeErrors(resource, hidden.map(dangling), await records.violations(resource, shown, id))
  }
  const assertSeen = async (resource: Resource, values: Row, id?: number): Promise<void> => {
    const hidden = await unseen(resource.fields, values)
    if (hidden.length > 0) throw invalid(await violations(resource, values, id))
  }
  return {
    violations,
    find,
    list: (resource, query) => own(resource, query),
    countUpTo: async (resource, selection, most, signal) => {
      assertChosenBySeen(seen(resource), selection)
      const confined = selectionOf(resource, selection, viewer.tenantId)
      return confined === null ? 0 : records.countUpTo(resource, { ...selection, ...confined }, most, signal)
    },
    show: async (resource, id) => ((await isVisible(resource, id)) ? records.show(seen(resource), id) : null),
    insert: async (resource, values, by) => {
      await assertSeen(resource, values)
      if (!isOfTenant(viewer, resource, values)) throw new AppError('forbidden', NOT_OF_TENANT)
      return records.insert(seen(resource), values, by)
    },
    update: async (resource, id, change, by) => {
      const made = (stored: Row): Row => (typeof change === 'function' ? change(stored) : change)
      const found = await find(resource, id)
      if (!found) throw notFound(resource.label)
      const values = made(found)
      await assertSeen(resource, { ...typesIn(resource.fields, found), ...values }, id)
      const allowed = (stored: Row): Row => {
        // It may have been moved to another tenant since it was found.
        if (!isOfTenant(viewer, resource, { ...stored, id })) throw notFound(resource.label)
        const next = made(stored)
        assertUnreserved(viewer, resource, stored, next)
        return next
      }
      return records.update(seen(resource), id, allowed, by)
    },
    remove: async (resource, id, options, by) => {
      if (!(await isVisible(resource, id))) throw notFound(resource.label)
      return records.remove(resource, id, options, by)
    },
  }

  async function* own(resource: Resource, query: PageQuery): AsyncIterable<Page> {
    const { after, sort } = query
    assertChosenBySeen(seen(resource), query)
    // The place of a record that is not there in such an order would tell what it holds.
    const isTelling = after !== undefined && (sort?.by ?? resource.order) !== 'id'
    if (isTelling && !(await isVisible(resource, after))) throw invalid([dangling('after')])
    const selection = selectionOf(resource, query, viewer.tenantId)
    if (selection === null) yield NOTHING
    else yield* records.list(seen(resource), { ...query, ...selection })
  }
}

const NOT_OF_TENANT = 'An account of one tenant may only make records of that tenant.'
const NOTHING: Page = { json: '', count: 0, isLast: true, next: null }

/** What narrows a list to what belongs to the tenant or to all; null where nothing does. */
function selectionOf(resource: Resource, query: Selection, tenantId: number | null): Selection | null {
  if (tenantId === null || isShared(resource)) return {}
  if (resource.name === tenants.name) {
    const ids = [query.where?.['id'] ?? tenantId].flat()
    return ids.includes(tenantId) ? { where: { ...query.where, id: tenantId } } : null
  }
  if (!tenantSide(resource) || (query.tenantId ?? tenantId) !== tenantId) return null
  return { tenantId }
}

/** Who chooses or sorts by what is hidden would learn what it holds. Throws `invalid`. */
function assertChosenBySeen(
  { fields }: Resource,
  { where = {}, atLeast = {}, sort }: Selection & Pick<PageQuery, 'sort'>,
): void {
  const names = [...Object.keys(where), ...Object.keys(atLeast), ...(sort ? [sort.by] : [])]
  const hidden = names.filter(name => fields[name]?.writeOnly)
  if (hidden.length > 0) throw invalid(hidden.map(dangling))
}

/** As far as the record tells by itself. */
function isOfTenant({ tenantId }: Viewer, resource: Resource, row: Row): boolean {
  if (tenantId === null) return true
  if (resource.name === tenants.name) return row['id'] === tenantId
  const side = tenantSide(resource)
  return side !== undefined && (side.to !== null || row[side.field] === tenantId)
}

/** The fields that say which resource another field points to. */
const typesIn = (fields: Fields, row: Row): Row =>
  Object.fromEntries(
    Object.values(fields).flatMap(({ references }) =>
      references && typeof references.to !== 'string' ? [[references.to.by, row[references.to.by] ?? null]] : [],
    ),
  )

function sightOf(records: Pick<Records, 'find'>, { tenantId }: Viewer) {
  const ownerOf = async (resource: Resource, id: number, row: Row): Promise<number | null> => {
    if (resource.name === tenants.name) return id
    const side = tenantSide(resource)
    const pointed = side && row[side.field]
    if (!side || typeof pointed !== 'number') return null
    if (side.to === null) return pointed
    const target = typeof side.to === 'string' ? side.to : side.to[String(row[side.to.by])]
    return target === undefined ? null : ownerOfRecord(resourceNamed(target), pointed)
  }
  const ownerOfRecord = async (resource: Resource, id: number): Promise<number | null> => {
    const row = await records.find(resource, id)
    return row && ownerOf(resource, id, row)
  }
  const find = async (resource: Resource, id: number): Promise<Row | null> => {
    const row = await records.find(resource, id)
    if (!row || tenantId === null || isShared(resource)) return row
    return (await ownerOf(resource, id, row)) === tenantId ? row : null
  }
  const isVisible = async (resource: Resource, id: number): Promise<boolean> =>
    tenantId === null || (await find(resource, id)) !== null
  /** The references among these values that lead to what is not seen. */
  const unseen = async (fields: Fields, values: Row): Promise<string[]> => {
    const hidden: string[] = []
    if (tenantId === null) return hidden
    for (const [name, { references }] of Object.entries(fields)) {
      const id = values[name]
      if (!references || typeof id !== 'number') continue
      const to = typeof references.to === 'string' ? references.to : references.to[String(values[references.to.by])]
      if (to !== undefined && !(await isVisible(resourceNamed(to), id))) hidden.push(name)
    }
    return hidden
  }
  return { find, isVisible, unseen }
}
