import type { BulkCounts } from '../../../core/ports/bulk.ts'
import { timestamped } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'
import type { Connection } from '../database/database.ts'
import type { Named } from './bulk-rows.ts'
import { rulesSql, type Staged } from './bulk-rules.ts'

/** What would happen to the staged rows of an import that adds or changes records. */

export interface Found {
  readonly matched: number
  readonly rejected: number
}

/** Notes the stored records with the same keys, where needed, then every rule that a row breaks. */
export function check({ db }: Connection, staged: Staged, isAscending: boolean): Found {
  const { resource, mode } = staged.plan
  db.exec('DELETE FROM temp.import_matches; DELETE FROM temp.import_problems')
  const same = resource.key.map(name => `t.${name} = ${staged.of(name)}`).join(' AND ')
  const match = `INSERT INTO temp.import_matches SELECT s.seq, min(t.id), count(*) > 1
    FROM temp.import_rows s CROSS JOIN main.${tableOf(resource.name)} t ON ${same} GROUP BY s.seq`
  const matched = mode === 'replace' ? 0 : db.prepare<[Named]>(match).run(staged.named).changes
  for (const sql of rulesSql(staged, { anyMatch: matched > 0, isAscending }, probe => isTrue(db, probe, staged.named)))
    db.prepare<[Named]>(sql).run(staged.named)
  return { matched, rejected: countOf(db, 'SELECT count(*) FROM temp.import_problems') }
}

const isTrue = (db: Connection['db'], sql: string, named: Named): boolean =>
  db.prepare<[Named], number>(sql).pluck().get(named) === 1

const countOf = (db: Connection['db'], sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0

/** The SQL of a staged row's value, or of something else if it has none. */
const orElse = ({ plan, of }: Staged, name: string, otherwise: string): string =>
  plan.isSparse && plan.columns.includes(name)
    ? `iif(typeof(${of(name)}) = 'blob', ${otherwise}, ${of(name)})`
    : of(name)

const GOOD = 's.row NOT IN (SELECT row FROM temp.import_problems)'
const MATCHED = 'temp.import_matches m CROSS JOIN temp.import_rows s ON s.seq = m.seq'

/** Returns the fields that the rows set, with the SQL of each value. */
const valuesSet = (staged: Staged): [name: string, value: string][] =>
  Object.keys(staged.plan.resource.fields)
    .filter(staged.isGiven)
    .map(name => [name, orElse(staged, name, `t.${name}`)])

/** The SQL condition that a stored record `t` differs from its row `s`. */
const differs = (staged: Staged): string =>
  `(${valuesSet(staged)
    .map(([name, value]) => `t.${name} IS NOT ${value}`)
    .join(' OR ')})`

export function apply(connection: Connection, staged: Staged, found: Found, now: string): BulkCounts {
  const created = insertNew(connection, staged, found, now)
  const updated = isUpdating(staged, found) ? updateChanged(connection, staged, now) : 0
  return { created, updated, ...leftAlone(connection, staged, found, updated) }
}

/** Returns what storing would do. */
export function foreseen(connection: Connection, staged: Staged, found: Found): BulkCounts {
  const { db } = connection
  const { resource, mode } = staged.plan
  const unmatched = mode === 'insert' ? '' : 'AND s.seq NOT IN (SELECT seq FROM temp.import_matches)'
  const changed = db
    .prepare<[Named], number>(
      `SELECT count(*) FROM ${MATCHED} CROSS JOIN main.${tableOf(resource.name)} t ON t.id = m.id
       WHERE ${GOOD} AND ${differs(staged)}`,
    )
    .pluck()
  const updated = isUpdating(staged, found) ? (changed.get(staged.named) ?? 0) : 0
  return {
    created: countOf(db, `SELECT count(*) FROM temp.import_rows s WHERE ${GOOD} ${unmatched}`),
    updated,
    ...leftAlone(connection, staged, found, updated),
  }
}

const isUpdating = ({ plan }: Staged, { matched }: Found): boolean => plan.mode === 'upsert' && matched > 0

function insertNew({ db }: Connection, staged: Staged, found: Found, now: string): number {
  const { resource, mode } = staged.plan
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const only = [
    ...(found.rejected > 0 ? [GOOD] : []),
    ...(found.matched > 0 && mode !== 'insert' ? ['s.seq NOT IN (SELECT seq FROM temp.import_matches)'] : []),
  ]
  const values = [...names.map(name => orElse(staged, name, `@${name}`)), ...stamps.map(() => '@now')]
  return db
    .prepare<[Named]>(
      `INSERT INTO main.${tableOf(resource.name)} (${[...names, ...stamps].join()}) SELECT ${values.join()} FROM temp.import_rows s
       ${only.length > 0 ? `WHERE ${only.join(' AND ')}` : ''} ORDER BY s.seq`,
    )
    .run({ ...staged.named, now }).changes
}

function updateChanged({ db }: Connection, staged: Staged, now: string): number {
  const { resource } = staged.plan
  const changes = [
    ...valuesSet(staged).map(([name, value]) => `${name} = ${value}`),
    ...(resource.timestamps ? ['updated_at = @now'] : []),
  ]
  return db
    .prepare<[Named]>(
      `UPDATE main.${tableOf(resource.name)} AS t SET ${changes.join()} FROM ${MATCHED}
       WHERE t.id = m.id AND ${GOOD} AND ${differs(staged)}`,
    )
    .run({ ...staged.named, now }).changes
}

export const rejectedRows = ({ db }: Pick<Connection, 'db'>): number =>
  countOf(db, 'SELECT count(DISTINCT row) FROM temp.import_problems')

/** Counts the rows that neither create nor change a record. */
function leftAlone({ db }: Connection, { plan }: Staged, found: Found, updated: number) {
  const isRejecting = found.rejected > 0
  const matched = isRejecting ? countOf(db, `SELECT count(*) FROM ${MATCHED} WHERE ${GOOD}`) : found.matched
  return {
    unchanged: plan.mode === 'upsert' ? matched - updated : 0,
    skipped: plan.mode === 'skip' ? matched : 0,
    rejected: isRejecting ? rejectedRows({ db }) : 0,
    removed: 0,
  }
}
