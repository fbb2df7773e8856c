import { type Actor, changesOf } from '../../../core/audit.ts'
import { AppError, type ErrorCode, errorsOfRecord, type FieldError, invalid, notFound } from '../../../core/errors.ts'
import type { Records } from '../../../core/ports/records.ts'
import type { Resource, Row } from '../../../core/resources/resource.ts'
import { derived } from '../../sql/derived.ts'
import { tableOf } from '../../sql/table.ts'
import { type Bound, holding } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'
import type { AuditTrail } from '../service/audit.ts'
import { countUpTo } from './count.ts'
import { listPages } from './pages.ts'
import { violations } from './record-rules.ts'
import type { RecordSteps } from './record-steps.ts'
import { widelyReferredTo } from './referring.ts'
import { joinSql, viewSql } from './view.ts'

/** Errors that prevent changing one record, rather than all. */
const OF_ONE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid', 'not_found', 'conflict', 'forbidden'])

/** The storage port for resources, over one connection. */
export function records(connection: Connection, writer: Writer, steps: RecordSteps, trail: AuditTrail): Records {
  const { value } = connection
  const isWidelyReferredTo = widelyReferredTo(connection)
  const showing = derived(resource =>
    value<[number], string>(
      `SELECT ${viewSql(resource, 'single')} FROM ${tableOf(resource.name)} t ${joinSql(resource, 'single')} WHERE t.id = ?`,
    ),
  )
  const updateOne = (resource: Resource, id: number, change: (stored: Row) => Row, by: Actor | undefined): string => {
    const before = steps.find(resource, id)
    if (!before) throw notFound(resource.label)
    const values = change(before)
    const json = steps.update(resource, id, values)
    const changes = changesOf(resource, before, { ...before, ...values })
    if (Object.keys(changes).length > 0) trail.note('update', resource.name, id, changes, by)
    return json
  }
  return {
    list: (resource, query) => listPages(connection, resource, query),
    show: async (resource, id) => showing(resource).get(id) ?? null,
    find: async (resource, id) => steps.find(resource, id),
    identify: async (resource, where) => {
      const { condition, bound } = holding(where)
      return value<Bound[], number>(`SELECT id FROM ${tableOf(resource.name)} WHERE ${condition} LIMIT 2`).all(...bound)
    },
    count: async (resource, where) => steps.count(resource, where),
    countUpTo: (resource, selection, most, signal) => countUpTo(connection, resource, { ...selection, signal }, most),
    violations: async (resource, values, id) => violations(connection, resource, values, id),
    insert: (resource, values, by) =>
      writer.write(() => {
        const json = steps.insert(resource, values)
        trail.note('create', resource.name, 'last', changesOf(resource, null, values), by)
        return json
      }),
    update: (resource, id, change, by) =>
      writer.write(() => updateOne(resource, id, typeof change === 'function' ? change : () => change, by)),
    updateAll: (resource, ids, change, by) =>
      writer.write(() => {
        const errors = ids.flatMap((id): readonly FieldError[] => {
          try {
            updateOne(resource, id, stored => change(stored, id), by)
            return []
          } catch (error) {
            if (!(error instanceof AppError) || !OF_ONE.has(error.code)) throw error
            return errorsOfRecord(id, error)
          }
        })
        if (errors.length > 0) throw invalid(errors)
      }),
    isWidelyReferredTo: async (resource, id) => isWidelyReferredTo(resource, id),
    remove: (resource, id, { cascade }, by) =>
      writer.write(() => {
        const changes = changesOf(resource, steps.find(resource, id), null)
        trail.note('delete', resource.name, id, { ...changes, ...(cascade ? { cascade } : {}) }, by)
        steps.remove(resource, id, cascade)
      }),
  }
}
