import type { Rejection } from '../../../core/ports/bulk.ts'
import { jointsAt, type Side, sidesOf, TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import {
  byRow,
  type ProblemKind,
  rejectionFor,
  type StagedProblem,
} from '../../../core/use-cases/records/staged-problems.ts'
import { tableOf } from '../../sql/table.ts'
import { joinedSql, withinSql } from '../../sql/within.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql } from '../database/sql.ts'
import type { Staged } from './staged.ts'

/** The rules between records, applied to all rows of an import at once. */

const note = (field: string, kind: ProblemKind, detail: string, from: Sql): Sql =>
  sql`INSERT INTO import_problems SELECT s.row, s.line, s.raw, ${field}, ${kind}, ${raw(detail)} FROM ${from}`

const table = ({ name }: Pick<Resource, 'name'>): Sql => raw(tableOf(name))

const isUnique = ({ unique, key }: Resource): boolean => unique.some(set => set.join() === key.join())

/** The staged rows as `s`, with each given field's final value as a column `v_<field>`, for SQL made of column names. */
const rowsWith = ({ of }: Staged, fields: readonly string[]): Sql =>
  sql`(SELECT s.*, ${joined(
    fields.map(field => sql`${of(field)} AS ${raw(`v_${field}`)}`),
    ', ',
  )} FROM import_rows s) s`

const column = (field: string): string => `s.v_${field}`

/** The statements that note broken rules, ordered so that later ones can rely on earlier ones. */
export function rulesSql(staged: Staged): Sql[] {
  const { resource, mode, allowDuplicates } = staged.plan
  const isFree = mode === 'insert' && allowDuplicates && !isUnique(resource)
  return [
    ...(isFree ? [] : [duplicates(staged, resource.key), ...matchProblems(staged)]),
    ...resource.unique
      .filter(set => set.join() !== resource.key.join() && set.every(staged.isGiven))
      .flatMap(set => [duplicates(staged, set), taken(staged, set)]),
    ...references(staged),
    ...outsiders(staged),
    ...foreignReferences(staged),
    ...moves(staged),
    ...limit(staged),
  ]
}

/** Rows that share these fields with an earlier row. */
function duplicates({ plan, of }: Staged, set: readonly string[]): Sql {
  const varying = set.filter(name => plan.columns.includes(name))
  const group = varying.map(name => `g.${name}`)
  const same = joined([sql`s.seq > d.first`, ...varying.map(name => sql`${raw(`d.${name}`)} = ${of(name)}`)], ' AND ')
  const columns = ['min(g.seq) AS first', '(array_agg(g.line ORDER BY g.seq))[1] AS first_line', ...group].join()
  const grouped = raw(`(SELECT ${columns} FROM import_rows g ${group.length > 0 ? `GROUP BY ${group.join()}` : ''}
    HAVING count(*) > 1) d`)
  return note(set.at(-1) ?? '', 'duplicate', 'd.first_line', sql`${grouped} JOIN import_rows s ON ${same}`)
}

const MATCHED = raw('import_matches m JOIN import_rows s ON s.seq = m.seq')

function matchProblems({ plan }: Staged): Sql[] {
  const field = plan.resource.key.at(-1) ?? ''
  const several = note(field, 'several', 'NULL', sql`${MATCHED} WHERE m.several`)
  return plan.mode === 'insert'
    ? [several, note(field, 'taken', 'NULL', sql`${MATCHED} WHERE NOT m.several`)]
    : [several]
}

/** Rows whose values belong to another stored record. */
function taken({ plan, of }: Staged, set: readonly string[]): Sql {
  const same = joined(
    set.map(name => sql`${raw(`t.${name}`)} = ${of(name)}`),
    ' AND ',
  )
  const untouched = raw(plan.mode === 'skip' ? 'm.id IS NULL AND' : '')
  return note(
    set.at(-1) ?? '',
    'taken',
    'NULL',
    sql`import_rows s LEFT JOIN import_matches m ON m.seq = s.seq WHERE ${untouched}
      EXISTS (SELECT 1 FROM ${table(plan.resource)} t WHERE ${same} AND t.id IS DISTINCT FROM m.id)`,
  )
}

/** What a field of the rows points to; if that may be one of several resources, field `by` chooses it, by `kind`. */
interface Target {
  readonly field: string
  readonly to: string
  readonly by: string | null
  readonly kind: string
}

export const targetsOf = ({ plan, isGiven }: Staged): Target[] =>
  Object.entries(plan.resource.fields).flatMap(([field, { references }]): Target[] => {
    if (!references || references.onDelete === 'keep' || !isGiven(field)) return []
    if (typeof references.to === 'string') return [{ field, to: references.to, by: null, kind: '' }]
    const { by, ...targets } = references.to
    return Object.entries(targets).map(([kind, to]) => ({ field, to, by, kind }))
  })

const references = (staged: Staged): Sql[] =>
  targetsOf(staged).map(({ field, to, by, kind }) => {
    const isKind = by === null ? raw('true') : sql`${staged.of(by)} = ${kind}`
    const target = sql`SELECT 1 FROM ${raw(tableOf(to))} p WHERE p.id = ${staged.of(field)}`
    return note(
      field,
      'reference',
      'NULL',
      sql`import_rows s WHERE ${isKind} AND ${staged.of(field)} IS NOT NULL AND NOT EXISTS (${target})`,
    )
  })

/** Rows that do not belong to the tenant of the import. */
function outsiders(staged: Staged): Sql[] {
  const { plan } = staged
  const side = plan.tenantId === undefined ? undefined : tenantSide(plan.resource)
  if (!side || plan.tenantId === undefined) return []
  const owner = withinSql(side, TENANT, column)
  return [
    note(
      side.field,
      'outside',
      'NULL',
      sql`${rowsWith(staged, fieldsUsed([side]))} WHERE ${raw(owner)} <> ${plan.tenantId}`,
    ),
  ]
}

const fieldsUsed = (sides: readonly Side[]): string[] => [
  ...new Set(sides.flatMap(({ field, to }) => (typeof to === 'object' && to !== null ? [field, to.by] : [field]))),
]

/** New records that would join records of two tenants. */
function foreignReferences(staged: Staged): Sql[] {
  const { within } = staged.plan.resource
  const sides = sidesOf(staged.plan.resource)
  const [first, ...others] = sides
  if (!within?.isRule || !first) return []
  const owner = (side: Side): Sql => raw(withinSql(side, within.field, column))
  return others.map(side =>
    note(
      side.field,
      'foreign',
      'NULL',
      sql`${rowsWith(staged, fieldsUsed(sides))}
        WHERE s.seq NOT IN (SELECT seq FROM import_matches) AND ${owner(first)} <> ${owner(side)}`,
    ),
  )
}

/** Stored records that would move to another tenant than the records joined to them. */
function moves(staged: Staged): Sql[] {
  const { resource, mode } = staged.plan
  const joints = jointsAt(resource)
  const [within] = new Set(joints.map(joint => joint.within))
  if (within === undefined || mode !== 'upsert' || !staged.isGiven(within) || resource.key.includes(within)) return []
  const away = joints.map(joint => joinedSql(joint, 'm.id', column(within))).join(' OR ')
  return [
    note(
      within,
      'joined',
      'NULL',
      sql`import_matches m JOIN ${rowsWith(staged, [within])} ON s.seq = m.seq JOIN ${table(resource)} t ON t.id = m.id
        WHERE NOT m.several AND ${raw(`t.${within} <> ${column(within)} AND (${away})`)}`,
    ),
  ]
}

/** New records, in order, beyond a parent's limit. */
function limit({ plan, of }: Staged): Sql[] {
  const { resource } = plan
  if (!resource.limit) return []
  const { by, parent, max } = resource.limit
  return [
    sql`WITH fresh AS (
        SELECT s.row, s.line, s.raw, ${of(by)} AS parent, row_number() OVER (PARTITION BY ${of(by)} ORDER BY s.seq) AS nth
        FROM import_rows s
        WHERE s.seq NOT IN (SELECT seq FROM import_matches) AND s.row NOT IN (SELECT row FROM import_problems)
      ), present AS MATERIALIZED (
        SELECT p.id, p.${raw(max)} AS max, (SELECT count(*) FROM ${table(resource)} t WHERE t.${raw(by)} = p.id) AS count
        FROM ${raw(tableOf(parent))} p WHERE p.id IN (SELECT DISTINCT parent FROM fresh))
      ${note(
        by,
        'limit',
        's.max',
        raw(
          `(SELECT f.*, p.max FROM fresh f JOIN present p ON p.id = f.parent WHERE f.nth + p.count > p.max ORDER BY f.row) s`,
        ),
      )}`,
  ]
}

const PAGE = 500

/** The noted problems, in the order of the rows and of the declaration. */
export async function* rejectionsOf(queries: Queries, resource: Resource): AsyncIterable<Rejection> {
  for (let last = -1; ; ) {
    const problems = await queries.rows<StagedProblem>(sql`SELECT * FROM import_problems WHERE row IN (
      SELECT DISTINCT row FROM import_problems WHERE row > ${last} ORDER BY row LIMIT ${raw(String(PAGE))}) ORDER BY row`)
    const rows = [...byRow(problems)]
    yield* rows.map(each => rejectionFor(resource, each))
    const end = rows.at(-1)
    if (!end) return
    last = end[0].row
  }
}
