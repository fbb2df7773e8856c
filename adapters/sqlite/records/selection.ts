import type { Selection } from '../../../core/ports/records.ts'
import { TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { withinSql } from '../../sql/within.ts'
import { unratedSql } from '../calls/unrated.ts'
import type { Connection } from '../database/database.ts'

/** An SQL condition on records, with its bound values. */
export interface Condition {
  readonly sql: string
  readonly bound: readonly (string | number)[]
  /** True if the condition is `column = value`, so that an index may hold the matching rows side by side. */
  readonly isOneValue: boolean
  /** True if an index lists the few records that meet it. */
  readonly isFew?: boolean
}

/** The conditions of a selection on records `t`, except its period. */
export function selectionSql(
  connection: Connection,
  resource: Resource,
  { where = {}, atLeast = {}, unrated, tenantId }: Omit<Selection, 'period'>,
): readonly Condition[] {
  const side = tenantId === undefined ? undefined : tenantSide(resource)
  const oneOf = (column: string, values: readonly (string | number)[]): Condition =>
    values.length === 1
      ? { sql: `t.${column} = ?`, bound: values, isOneValue: true }
      : { sql: `t.${column} IN (${values.map(() => '?').join()})`, bound: values, isOneValue: false }
  return [
    ...Object.entries(where).map(([column, value]) => oneOf(column, [value].flat())),
    ...Object.entries(atLeast).map(([column, value]) => ({
      sql: `t.${column} >= ?`,
      bound: [value],
      isOneValue: false,
    })),
    ...(unrated ? [{ ...unratedSql(connection), bound: [], isOneValue: false }] : []),
    ...(side && tenantId !== undefined
      ? [
          {
            sql: `${withinSql(side, TENANT, field => `t.${field}`)} = ?`,
            bound: [tenantId],
            isOneValue: side.to === null,
          },
        ]
      : []),
  ]
}
