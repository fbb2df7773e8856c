import type { BulkCounts } from '../../../core/ports/bulk.ts'
import { timestamped } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql, where } from '../database/sql.ts'
import { rulesSql, targetsOf } from './rules.ts'
import { comparable, type Staged } from './staged.ts'

/** The staged rows of an import, by whether they add or change records. */

export interface Found {
  readonly matched: number
  readonly rejected: number
}

const tableIn = ({ plan }: Staged): Sql => raw(tableOf(plan.resource.name))

const countOf = async (queries: Queries, from: Sql): Promise<number> =>
  (await queries.value<number>(sql`SELECT count(*) FROM ${from}`)) ?? 0

/**
 * Locks what the rules read until the transaction ends: other imports of the resource, parents with a limit, and
 * records that must agree with the rows.
 */
export async function lock(within: Queries, staged: Staged): Promise<void> {
  const { resource } = staged.plan
  await within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`import ${resource.name}`}, 0))`)
  const isJoining = resource.within?.isRule || targetsOf(staged).some(({ by }) => by !== null)
  for (const { field, to } of targetsOf(staged)) {
    const isLimited = resource.limit?.by === field
    if (!isLimited && !isJoining) continue
    await within.run(sql`SELECT 1 FROM ${raw(tableOf(to))} p WHERE p.id IN (SELECT ${staged.of(field)} FROM import_rows s)
      ORDER BY p.id FOR ${raw(isLimited ? 'NO KEY UPDATE' : 'SHARE')}`)
  }
}

/** Matches rows to stored records with the same keys, where that matters, then notes every rule that a row breaks. */
export async function check(within: Queries, staged: Staged): Promise<Found> {
  const { resource, mode } = staged.plan
  await within.script('TRUNCATE import_matches, import_problems; ANALYZE import_rows')
  const same = joined(
    resource.key.map(name => sql`${raw(`t.${name}`)} = ${staged.of(name)}`),
    ' AND ',
  )
  const matched =
    mode === 'replace'
      ? 0
      : await within.run(sql`INSERT INTO import_matches SELECT s.seq, min(t.id), count(*) > 1
          FROM import_rows s JOIN ${tableIn(staged)} t ON ${same} GROUP BY s.seq`)
  await within.script('ANALYZE import_matches')
  for (const rule of rulesSql(staged)) await within.run(rule)
  return { matched, rejected: await countOf(within, raw('import_problems')) }
}

const GOOD = raw('s.row NOT IN (SELECT row FROM import_problems)')
const UNMATCHED = raw('s.seq NOT IN (SELECT seq FROM import_matches)')
const MATCHED = raw('import_matches m JOIN import_rows s ON s.seq = m.seq')

/** The fields that the rows give. */
const fieldsSet = ({ plan, isGiven }: Staged): string[] => Object.keys(plan.resource.fields).filter(isGiven)

const column = ({ plan }: Staged, name: string, value: Sql): Sql =>
  plan.resource.fields[name]?.kind === 'json' ? sql`(${value})::json` : value

/** True if stored record `t` differs from its row `s`. */
function differs(staged: Staged): Sql {
  const each = fieldsSet(staged).map(name => {
    const stored = comparable(staged, 't', name)
    return sql`${stored} IS DISTINCT FROM ${staged.orElse(name, stored)}`
  })
  return each.length > 0 ? sql`(${joined(each, ' OR ')})` : raw('false')
}

export async function apply(within: Queries, staged: Staged, found: Found, now: string): Promise<BulkCounts> {
  const created = await insertNew(within, staged, now)
  const updated = isUpdating(staged, found) ? await updateChanged(within, staged, now) : 0
  return { created, updated, ...(await leftAlone(within, staged, found, updated)) }
}

/** Counts what storing would do. */
export async function foreseen(within: Queries, staged: Staged, found: Found): Promise<BulkCounts> {
  const changed = sql`${MATCHED} JOIN ${tableIn(staged)} t ON t.id = m.id WHERE ${GOOD} AND ${differs(staged)}`
  const updated = isUpdating(staged, found) ? await countOf(within, changed) : 0
  return {
    created: await countOf(within, sql`import_rows s ${where([GOOD, ...onlyNew(staged)])}`),
    updated,
    ...(await leftAlone(within, staged, found, updated)),
  }
}

const isUpdating = ({ plan }: Staged, { matched }: Found): boolean => plan.mode === 'upsert' && matched > 0

/** A row that matches a record makes no new one, unless duplicates are allowed. */
const onlyNew = ({ plan }: Staged): readonly Sql[] => (plan.mode === 'insert' ? [] : [UNMATCHED])

function insertNew(within: Queries, staged: Staged, now: string): Promise<number> {
  const { resource } = staged.plan
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const values = [
    ...names.map(name => column(staged, name, staged.orElse(name, staged.fallback(name)))),
    ...stamps.map(() => sql`${now}`),
  ]
  return within.run(sql`INSERT INTO ${tableIn(staged)} (${raw([...names, ...stamps].join())})
    SELECT ${joined(values, ', ')} FROM import_rows s ${where([GOOD, ...onlyNew(staged)])} ORDER BY s.seq`)
}

function updateChanged(within: Queries, staged: Staged, now: string): Promise<number> {
  const changes = [
    ...fieldsSet(staged).map(
      name => sql`${raw(name)} = ${column(staged, name, staged.orElse(name, comparable(staged, 't', name)))}`,
    ),
    ...(staged.plan.resource.timestamps ? [sql`updated_at = ${now}`] : []),
  ]
  return within.run(sql`UPDATE ${tableIn(staged)} AS t SET ${joined(changes, ', ')} FROM ${MATCHED}
    WHERE t.id = m.id AND ${GOOD} AND ${differs(staged)}`)
}

export const rejectedRows = async (queries: Queries): Promise<number> =>
  (await queries.value<number>(sql`SELECT count(DISTINCT row) FROM import_problems`)) ?? 0

/** Counts the rows that neither create nor change a record. */
async function leftAlone(within: Queries, { plan }: Staged, found: Found, updated: number) {
  const isRejecting = found.rejected > 0
  const matched = isRejecting ? await countOf(within, sql`${MATCHED} WHERE ${GOOD}`) : found.matched
  return {
    unchanged: plan.mode === 'upsert' ? matched - updated : 0,
    skipped: plan.mode === 'skip' ? matched : 0,
    rejected: isRejecting ? await rejectedRows(within) : 0,
    removed: 0,
  }
}
