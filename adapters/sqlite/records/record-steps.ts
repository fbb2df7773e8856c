import { AppError, notFound } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Value } from '../../../core/resources/field.ts'
import { cascadeOrder, restrictingReferences, stillNeeded } from '../../../core/resources/references/dependants.ts'
import { type Resource, type Row, timestamped } from '../../../core/resources/resource.ts'
import { derived } from '../../sql/derived.ts'
import { tableOf } from '../../sql/table.ts'
import { type Bound, holding, toSql } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import { checked } from './record-rules.ts'
import { returningSql } from './view.ts'

/** The synchronous steps on a resource's records in a write transaction. */
export class RecordSteps {
  readonly #connection: Connection
  readonly #clock: Clock

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection
    this.#clock = clock
  }

  find(resource: Resource, id: number): Row | null {
    const { statement, booleans } = this.#finding(resource)
    const row = statement.get(id)
    if (!row) return null
    for (const name of booleans) row[name] = row[name] === 1
    return row
  }

  /** Returns the new record's view. Throws `invalid`. */
  insert(resource: Resource, values: Row): string {
    const { names, stamps, statement } = this.#inserting(resource)
    const now = this.#clock.now()
    const bound = [...names.map(name => toSql(values[name])), ...stamps.map(() => now)]
    return checked(this.#connection, resource, values, undefined, () => only(statement.get(...bound)))
  }

  /** Returns the changed record's view. Throws `not_found`, `invalid`. */
  update(resource: Resource, id: number, values: Row): string {
    const current = this.find(resource, id)
    if (!current) throw notFound(resource.label)
    const next: Row = { ...current, ...values }
    const { names, stamps, statement } = this.#updating(resource)
    const bound = [...names.map(name => toSql(next[name])), ...stamps.map(() => this.#clock.now()), id]
    return checked(this.#connection, resource, next, id, () => only(statement.get(...bound)))
  }

  count({ name }: Resource, where: Row): number {
    const { condition, bound } = holding(where)
    return (
      this.#connection
        .value<Bound[], number>(`SELECT count(*) FROM ${tableOf(name)} WHERE ${condition}`)
        .get(...bound) ?? 0
    )
  }

  /** Deletes a record, and with `cascade` everything that needs it. Throws `not_found`, `conflict`. */
  remove(resource: Resource, id: number, cascade: boolean): void {
    const { query, value } = this.#connection
    if (value<[number], number>(`SELECT 1 FROM ${tableOf(resource.name)} WHERE id = ?`).get(id) !== 1)
      throw notFound(resource.label)
    const restricting = restrictingReferences(resource)
    if (cascade)
      for (const { from, where } of cascadeOrder(restricting)) {
        const { condition, bound } = holding(where(id))
        query<Bound[], unknown>(`DELETE FROM ${tableOf(from.name)} WHERE ${condition}`).run(...bound)
      }
    try {
      query<[number], unknown>(`DELETE FROM ${tableOf(resource.name)} WHERE id = ?`).run(id)
    } catch (error) {
      if (!isConstraint(error)) throw error
      const counts = restricting.map(({ from, where }) => [from.name, this.count(from, where(id))] as const)
      throw stillNeeded(resource, Object.fromEntries(counts.filter(([, count]) => count > 0)))
    }
  }

  readonly #finding = derived(({ name, fields }) => ({
    statement: this.#connection.query<[number], Record<string, Value>>(`SELECT * FROM ${tableOf(name)} WHERE id = ?`),
    booleans: Object.keys(fields).filter(field => fields[field]?.kind === 'boolean'),
  }))

  readonly #inserting = derived(resource => {
    const names = Object.keys(resource.fields)
    const stamps = timestamped(resource)
    const statement = this.#connection.value<Bound[], string>(
      `INSERT INTO ${tableOf(resource.name)} (${[...names, ...stamps].join()})
       VALUES (${[...names, ...stamps].map(() => '?').join()}) RETURNING ${returningSql(resource)}`,
    )
    return { names, stamps, statement }
  })

  readonly #updating = derived(resource => {
    const names = Object.keys(resource.fields)
    const stamps = resource.timestamps ? ['updated_at'] : []
    const statement = this.#connection.value<Bound[], string>(
      `UPDATE ${tableOf(resource.name)} SET ${[...names, ...stamps].map(name => `${name} = ?`).join()}
       WHERE id = ? RETURNING ${returningSql(resource)}`,
    )
    return { names, stamps, statement }
  })
}

function only(json: string | undefined): string {
  if (json === undefined) throw new AppError('internal', 'A change returned no record.')
  return json
}
