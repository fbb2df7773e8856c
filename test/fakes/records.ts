import { type Actor, changesOf } from '../../core/audit.ts'
import { AppError, errorsOfRecord, invalid, notFound } from '../../core/errors.ts'
import type { Json, Records } from '../../core/ports/records.ts'
import type { Clock } from '../../core/ports/system.ts'
import { referencesTo, resourceNamed } from '../../core/resources/all.ts'
import { restrictingReferences, stillNeeded } from '../../core/resources/references/dependants.ts'
import { isNamed, type Resource, type Row, timestamped } from '../../core/resources/resource.ts'
import { countWanted, listPages } from './lists.ts'
import { violations } from './rules.ts'
import type { Journal, Stored, Tables } from './tables.ts'
import type { Trail } from './trail.ts'
import { viewOf } from './views.ts'

/** Changes of one record, for a port to combine. */
export class RecordSteps {
  readonly #tables: Tables
  readonly #clock: Clock

  constructor(tables: Tables, clock: Clock) {
    this.#tables = tables
    this.#clock = clock
  }

  /** Returns the id. Throws `invalid`. */
  insert(resource: Resource, values: Row): number {
    this.#check(resource, values)
    const now = this.#clock.now()
    const fields = Object.keys(resource.fields).map(name => [name, values[name] ?? null])
    const stamps = timestamped(resource).map(name => [name, now])
    return this.#tables.of(resource).add(id => ({ ...Object.fromEntries([...fields, ...stamps]), id }))
  }

  /** Throws `invalid`. */
  update(resource: Resource, stored: Stored, values: Row): Stored {
    const next = { ...stored, ...values, ...(resource.timestamps ? { updated_at: this.#clock.now() } : {}) }
    this.#check(resource, next, stored.id)
    this.#tables.of(resource).set(stored.id, next)
    return next
  }

  /** Throws `conflict` if other records restrict it. */
  remove(resource: Resource, id: number, cascade: boolean): void {
    const counts = restrictingReferences(resource).map(
      ({ from, where }) => [from.name, this.#tables.holding(from, where(id)).length] as const,
    )
    const dependants = Object.fromEntries(counts.filter(([, count]) => count > 0))
    if (!cascade && Object.keys(dependants).length > 0) throw stillNeeded(resource, dependants)
    for (const { from, field, onDelete, where } of referencesTo(resource))
      for (const row of onDelete === 'keep' ? [] : this.#tables.holding(from, where(id)))
        if (onDelete === 'clear') this.#tables.of(from).set(row.id, { ...row, [field]: null })
        else this.remove(from, row.id, cascade)
    this.#tables.of(resource).delete(id)
  }

  #check(resource: Resource, values: Row, id?: number): void {
    const errors = violations(this.#tables, resource, values, id)
    if (errors.length > 0) throw invalid(errors)
  }
}

/** The name by which a person knows the record, such as `acme/101`; null if it has none. */
export function nameOf(tables: Tables, resource: Resource, id: number): string | null {
  const row = isNamed(resource) ? tables.of(resource).get(id) : undefined
  if (!row) return null
  const parts = resource.key.map(field => {
    const to = resource.fields[field]?.references?.to
    return typeof to === 'string' ? nameOf(tables, resourceNamed(to), Number(row[field])) : String(row[field])
  })
  return parts.join('/')
}

export function records(journal: Journal, tables: Tables, steps: RecordSteps, trail: Trail): Records {
  const stored = (resource: Resource, id: number): Stored => {
    const row = tables.of(resource).get(id)
    if (!row) throw notFound(resource.label)
    return row
  }
  const view = (resource: Resource, row: Stored): Json => viewOf(tables, resource, row, 'plain')

  const insert = (resource: Resource, values: Row, by?: Actor): Json => {
    const id = steps.insert(resource, values)
    trail.note('create', resource.name, id, changesOf(resource, null, values), by)
    return view(resource, stored(resource, id))
  }
  const update = (resource: Resource, id: number, change: Row | ((stored: Row) => Row), by?: Actor): Json => {
    const before = stored(resource, id)
    const after = steps.update(resource, before, typeof change === 'function' ? change(before) : change)
    const changes = changesOf(resource, before, after)
    if (Object.keys(changes).length > 0) trail.note('update', resource.name, id, changes, by)
    return view(resource, after)
  }
  const remove = (resource: Resource, id: number, cascade: boolean, by?: Actor): void => {
    const changes = changesOf(resource, stored(resource, id), null)
    trail.note('delete', resource.name, id, { ...changes, ...(cascade ? { cascade } : {}) }, by)
    steps.remove(resource, id, cascade)
  }
  return {
    list: (resource, query) => listPages(tables, resource, query),
    show: async (resource, id) => {
      const row = tables.of(resource).get(id)
      return row ? viewOf(tables, resource, row, 'single') : null
    },
    find: async (resource, id) => tables.of(resource).get(id) ?? null,
    identify: async (resource, where) =>
      tables
        .holding(resource, where)
        .slice(0, 2)
        .map(({ id }) => id),
    count: async (resource, where) => tables.holding(resource, where).length,
    countUpTo: async (resource, selection, most) => Math.min(countWanted(tables, resource, selection), most),
    isWidelyReferredTo: async () => false,
    violations: async (resource, values, id) => violations(tables, resource, values, id),
    insert: async (resource, values, by) => journal.atomically(() => insert(resource, values, by)),
    update: async (resource, id, change, by) => journal.atomically(() => update(resource, id, change, by)),
    updateAll: async (resource, ids, change, by) =>
      journal.atomically(() => {
        const errors = ids.flatMap(id => {
          try {
            update(resource, id, stored => change(stored, id), by)
            return []
          } catch (error) {
            if (error instanceof AppError) return errorsOfRecord(id, error)
            throw error
          }
        })
        if (errors.length > 0) throw invalid(errors)
      }),
    remove: async (resource, id, { cascade }, by) => journal.atomically(() => remove(resource, id, cascade, by)),
  }
}
