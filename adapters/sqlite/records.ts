import { changesOf } from '../../core/audit.ts'
import { AppError, type FieldErrors, invalid, notFound } from '../../core/errors.ts'
import type { Records } from '../../core/ports/records.ts'
import type { Clock } from '../../core/ports/system.ts'
import { referencesTo, resourceNamed } from '../../core/resources/all.ts'
import type { Value } from '../../core/resources/field.ts'
import { sentences } from '../../core/resources/input.ts'
import { type Resource, type Row, timestamped } from '../../core/resources/resource.ts'
import type { AuditTrail } from './audit.ts'
import type { Connection } from './database.ts'
import { derived } from './derived.ts'
import { isConstraint } from './errors.ts'
import { listPages } from './pages.ts'
import { joinSql, returningSql, viewSql } from './view.ts'
import type { Writer } from './writer.ts'

export type Bound = string | number | null

export const toSql = (value: Value | undefined): Bound => (typeof value === 'boolean' ? Number(value) : (value ?? null))

type Checked = Pick<Resource, 'name' | 'fields' | 'unique'> & Partial<Pick<Resource, 'limit' | 'plural'>>

/** The synchronous steps on one resource's records that a write transaction is made of. */
export interface RecordSteps {
  find(resource: Resource, id: number): Row | null
  violations(resource: Checked, values: Row, id?: number): FieldErrors
  insert(resource: Resource, values: Row): string
  update(resource: Resource, id: number, values: Row): string
  remove(resource: Resource, id: number, cascade: boolean): void
}

export function recordSteps({ query, value }: Connection, clock: Clock): RecordSteps {
  const exists = (table: string, id: Value): boolean =>
    value<[Bound], number>(`SELECT 1 FROM ${table} WHERE id = ?`).get(toSql(id)) === 1

  const finding = derived(({ name, fields }) => ({
    statement: query<[number], Record<string, Value>>(`SELECT * FROM ${name} WHERE id = ?`),
    booleans: Object.keys(fields).filter(field => fields[field]?.kind === 'boolean'),
  }))
  const find = (resource: Resource, id: number): Row | null => {
    const { statement, booleans } = finding(resource)
    const row = statement.get(id)
    if (!row) return null
    for (const name of booleans) row[name] = row[name] === 1
    return row
  }

  const danglingReferences = ({ fields }: Checked, values: Row): string[] =>
    Object.entries(fields).flatMap(([name, { references }]) => {
      const id = values[name]
      if (!references || references.onDelete === 'keep' || id === undefined || id === null) return []
      const to = typeof references.to === 'string' ? references.to : references.to[String(values[references.to.by])]
      return to === undefined || exists(to, id) ? [] : [name]
    })

  const takenKeys = ({ name, unique }: Checked, values: Row, id?: number): string[] =>
    unique.flatMap(set => {
      if (set.some(field => values[field] === undefined || values[field] === null)) return []
      const sql = `SELECT 1 FROM ${name} WHERE ${set.map(field => `${field} = ?`).join(' AND ')} AND id IS NOT ?`
      const taken = value<Bound[], number>(sql).get(...set.map(field => toSql(values[field])), id ?? null)
      return taken === 1 ? [set.at(-1) ?? name] : []
    })

  const limitProblem = (resource: Checked, values: Row, id?: number): FieldErrors => {
    const { limit, name } = resource
    const parent = limit && values[limit.by]
    if (!limit || parent === undefined) return {}
    const max = value<[Bound], number>(`SELECT ${limit.max} FROM ${limit.parent} WHERE id = ?`).get(toSql(parent))
    if (max === undefined) return {}
    const full = value<[Bound, Bound, number], number>(
      `SELECT 1 FROM ${name} WHERE ${limit.by} = ? AND id IS NOT ? LIMIT 1 OFFSET ?`,
    ).get(toSql(parent), id ?? null, max - 1)
    if (full !== 1 || (id !== undefined && value(`SELECT ${limit.by} FROM ${name} WHERE id = ?`).get(id) === parent))
      return {}
    return { [limit.by]: [sentences.limit(resourceNamed(limit.parent).label, max, resource.plural ?? name)] }
  }

  const violations: RecordSteps['violations'] = (resource, values, id) => ({
    ...limitProblem(resource, values, id),
    ...Object.fromEntries(takenKeys(resource, values, id).map(name => [name, [sentences.taken(name)]])),
    ...Object.fromEntries(danglingReferences(resource, values).map(name => [name, [sentences.reference(name)]])),
  })

  /** References without a foreign key and limits are checked ahead; the rest is told by the constraint that failed. */
  const checked = <T>(resource: Resource, values: Row, id: number | undefined, change: () => T): T => {
    const ahead = limitProblem(resource, values, id)
    if (Object.keys(ahead).length > 0) throw invalid({ ...ahead, ...violations(resource, values, id) })
    if (hasLooseReference(resource)) throwIfAny(violations(resource, values, id))
    try {
      return change()
    } catch (error) {
      if (isConstraint(error)) throwIfAny(violations(resource, values, id))
      throw error
    }
  }

  const inserting = derived(resource => {
    const names = Object.keys(resource.fields)
    const stamps = timestamped(resource)
    const statement = value<Bound[], string>(
      `INSERT INTO ${resource.name} (${[...names, ...stamps].join()})
       VALUES (${[...names, ...stamps].map(() => '?').join()}) RETURNING ${returningSql(resource)}`,
    )
    return { names, stamps, statement }
  })
  const updating = derived(resource => {
    const names = Object.keys(resource.fields)
    const stamp = resource.timestamps ? ['updated_at'] : []
    const statement = value<Bound[], string>(
      `UPDATE ${resource.name} SET ${[...names, ...stamp].map(name => `${name} = ?`).join()}
       WHERE id = ? RETURNING ${returningSql(resource)}`,
    )
    return { names, stamp, statement }
  })

  return {
    find,
    violations,
    insert: (resource, values) => {
      const { names, stamps, statement } = inserting(resource)
      const now = clock.now()
      const bound = [...names.map(name => toSql(values[name])), ...stamps.map(() => now)]
      return checked(resource, values, undefined, () => only(statement.get(...bound)))
    },
    update: (resource, id, values) => {
      const current = find(resource, id)
      if (!current) throw notFound(resource.label)
      const next: Row = { ...current, ...values }
      const { names, stamp, statement } = updating(resource)
      const bound = [...names.map(name => toSql(next[name])), ...stamp.map(() => clock.now()), id]
      return checked(resource, next, id, () => only(statement.get(...bound)))
    },
    remove: (resource, id, cascade) => {
      if (!exists(resource.name, id)) throw notFound(resource.label)
      const restricting = referencesTo(resource).filter(({ onDelete }) => onDelete === 'restrict')
      if (cascade)
        for (const { from, field } of restricting.reverse())
          query<[number], unknown>(`DELETE FROM ${from.name} WHERE ${field} = ?`).run(id)
      try {
        query<[number], unknown>(`DELETE FROM ${resource.name} WHERE id = ?`).run(id)
      } catch (error) {
        if (!isConstraint(error)) throw error
        const counts = restricting.map(({ from, field }) => {
          const sql = `SELECT count(*) FROM ${from.name} WHERE ${field} = ?`
          return [from.name, value<[number], number>(sql).get(id) ?? 0] as const
        })
        throw stillNeeded(resource, Object.fromEntries(counts.filter(([, count]) => count > 0)))
      }
    },
  }
}

const hasLooseReference = (resource: Resource): boolean =>
  Object.values(resource.fields).some(({ references }) => references && typeof references.to !== 'string')

function throwIfAny(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

function only(json: string | undefined): string {
  if (json === undefined) throw new AppError('internal', 'A change returned no record.')
  return json
}

function stillNeeded(resource: Resource, dependants: Record<string, number>): AppError {
  const list = Object.entries(dependants).map(([name, count]) => {
    const { label, plural } = resourceNamed(name)
    return `${count} ${count === 1 ? label : plural}`
  })
  return new AppError('conflict', `The ${resource.label.toLowerCase()} still has ${list.join(', ')}.`, { dependants })
}

/** The storage port for resources, over one connection. */
export function records(connection: Connection, writer: Writer, steps: RecordSteps, trail: AuditTrail): Records {
  const { value } = connection
  const showing = derived(resource =>
    value<[number], string>(
      `SELECT ${viewSql(resource, 'single')} FROM ${resource.name} t ${joinSql(resource, 'single')} WHERE t.id = ?`,
    ),
  )
  return {
    list: (resource, query) => listPages(connection, resource, query),
    show: async (resource, id) => showing(resource).get(id) ?? null,
    find: async (resource, id) => steps.find(resource, id),
    identify: async (resource, where) => {
      const sql = `SELECT id FROM ${resource.name} WHERE ${Object.keys(where)
        .map(name => `${name} = ?`)
        .join(' AND ')} LIMIT 2`
      return value<Bound[], number>(sql).all(...Object.values(where).map(toSql))
    },
    violations: async (resource, values, id) => steps.violations(resource, values, id),
    insert: (resource, values, by) =>
      writer.write(() => {
        const json = steps.insert(resource, values)
        trail.note('create', resource.name, 'last', changesOf(resource, null, values), by)
        return json
      }),
    update: (resource, id, values, by) =>
      writer.write(() => {
        const before = steps.find(resource, id)
        const json = steps.update(resource, id, values)
        const changes = changesOf(resource, before, { ...before, ...values })
        if (Object.keys(changes).length > 0) trail.note('update', resource.name, id, changes, by)
        return json
      }),
    remove: (resource, id, { cascade }, by) =>
      writer.write(() => {
        const changes = changesOf(resource, steps.find(resource, id), null)
        steps.remove(resource, id, cascade)
        trail.note('delete', resource.name, id, { ...changes, ...(cascade ? { cascade } : {}) }, by)
      }),
  }
}
