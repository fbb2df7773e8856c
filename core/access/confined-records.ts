import { AppError, errorsOfRecord, invalid, notFound } from '../errors.ts'
import type { Page, PageQuery, Records, Selection, ServedRecords } from '../ports/records.ts'
import { resourceNamed } from '../resources/all.ts'
import { tenantSide } from '../resources/references/within.ts'
import type { Fields, Resource, Row } from '../resources/resource.ts'
import { tenants } from '../resources/tenants.ts'
import { dangling, mergeErrors } from '../resources/values/field-errors.ts'
import { assertUnreserved, seenBy } from './fields.ts'
import { isShared, type Viewer } from './policy.ts'

/**
 * The records port, limited to what one account may see: a record that it may not see does not exist for it, however
 * it is asked for, and views leave out hidden fields. Whether the account may perform an operation at all is checked
 * earlier, by `refusal`.
 */
export function confinedRecords(records: Records, viewer: Viewer): ServedRecords {
  const { find, isVisible, unseen } = sightOf(records, viewer)
  const seen = (resource: Resource): Resource => seenBy(viewer, resource)

  const violations: Records['violations'] = async (resource, values, id) => {
    const hidden = await unseen(resource.fields, values)
    // A hidden record must not show through a broken rule.
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
        // The record may have moved to another tenant since it was found.
        if (!isOfTenant(viewer, resource, { ...stored, id })) throw notFound(resource.label)
        const next = made(stored)
        assertUnreserved(viewer, resource, stored, next)
        return next
      }
      return records.update(seen(resource), id, allowed, by)
    },
    updateAll: async (resource, ids, change, by) => {
      const errors = []
      for (const id of ids) {
        const found = await find(resource, id)
        if (!found) errors.push(...errorsOfRecord(id, notFound(resource.label)))
        else {
          const hidden = await unseen(resource.fields, { ...typesIn(resource.fields, found), ...change(found, id) })
          errors.push(...hidden.map(dangling).map(each => ({ ...each, field: String(id) })))
        }
      }
      if (errors.length > 0) throw invalid(errors)
      const allowed = (stored: Row, id: number): Row => {
        if (!isOfTenant(viewer, resource, { ...stored, id })) throw notFound(resource.label)
        const next = change(stored, id)
        assertUnreserved(viewer, resource, stored, next)
        return next
      }
      return records.updateAll(seen(resource), ids, allowed, by)
    },
    remove: async (resource, id, options, by) => {
      if (!(await isVisible(resource, id))) throw notFound(resource.label)
      return records.remove(resource, id, options, by)
    },
  }

  async function* own(resource: Resource, query: PageQuery): AsyncIterable<Page> {
    const { after, sort } = query
    assertChosenBySeen(seen(resource), query)
    // Paging from a hidden record would reveal the value that the list is sorted by.
    const isTelling = after !== undefined && (sort?.by ?? resource.order) !== 'id'
    if (isTelling && !(await isVisible(resource, after))) throw invalid([dangling('after')])
    const selection = selectionOf(resource, query, viewer.tenantId)
    if (selection === null) yield NOTHING
    else yield* records.list(seen(resource), { ...query, ...selection })
  }
}

const NOT_OF_TENANT = 'An account of one tenant may only make records of that tenant.'
const NOTHING: Page = { json: '', count: 0, isLast: true, next: null }

/** Returns the filter that limits a list to the tenant's own and shared records; null if the list must be empty. */
function selectionOf(resource: Resource, query: Selection, tenantId: number | null): Selection | null {
  if (tenantId === null || isShared(resource)) return {}
  if (resource.name === tenants.name) {
    const ids = [query.where?.['id'] ?? tenantId].flat()
    return ids.includes(tenantId) ? { where: { ...query.where, id: tenantId } } : null
  }
  if (!tenantSide(resource) || (query.tenantId ?? tenantId) !== tenantId) return null
  return { tenantId }
}

/**
 * Returns the selection limited to what the account may see; null if that is empty. Throws `invalid` if it filters by
 * a hidden field.
 */
export function confinedSelection(
  viewer: Viewer,
  resource: Resource,
  { sort, ...selection }: Selection & Pick<PageQuery, 'sort'>,
): Selection | null {
  assertChosenBySeen(seenBy(viewer, resource), { ...selection, ...(sort ? { sort } : {}) })
  const confined = selectionOf(resource, selection, viewer.tenantId)
  return confined && { ...selection, ...confined }
}

/** Filtering or sorting by a hidden field would reveal its values. Throws `invalid`. */
function assertChosenBySeen(
  { fields }: Resource,
  { where = {}, atLeast = {}, sort }: Selection & Pick<PageQuery, 'sort'>,
): void {
  const names = [...Object.keys(where), ...Object.keys(atLeast), ...(sort ? [sort.by] : [])]
  const hidden = names.filter(name => fields[name]?.writeOnly)
  if (hidden.length > 0) throw invalid(hidden.map(dangling))
}

/** Judges by the record's own values, without following references. */
function isOfTenant({ tenantId }: Viewer, resource: Resource, row: Row): boolean {
  if (tenantId === null) return true
  if (resource.name === tenants.name) return row['id'] === tenantId
  const side = tenantSide(resource)
  return side !== undefined && (side.to !== null || row[side.field] === tenantId)
}

/** The values of the fields that say which resource a reference points to. */
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
  /** Returns the fields whose references point to records that the viewer may not see. */
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
