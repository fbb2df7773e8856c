import type { BulkPlan, Rejection } from '../../../core/ports/bulk.ts'
import { jointsAt, type Side, sidesOf, TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import {
  byRow,
  type ProblemKind,
  type RowProblems,
  rejectionFor,
  type StagedProblem,
} from '../../../core/use-cases/records/staged-problems.ts'
import { tableOf } from '../../sql/table.ts'
import { joinedSql, withinSql } from '../../sql/within.ts'
import type { Connection } from '../database/database.ts'
import { keySetPages } from '../database/key-set.ts'
import { checkedReferences, looseReferences, type Named } from './bulk-rows.ts'

/** Checks the rules between records for all rows of an import at once. */

export interface Staged {
  readonly plan: BulkPlan
  /** True if the rows or the constants set this field. */
  isGiven(field: string): boolean
  /** The SQL of a field's value in the staged row `s`. */
  of(field: string): string
  readonly named: Named
}

/** What is known before the rules are checked. */
interface Known {
  readonly anyMatch: boolean
  /** True if the keys are in ascending order, without repetition. */
  readonly isAscending: boolean
}

/** Runs a query that returns 1 or nothing, and returns whether it was 1. */
type Probe = (sql: string) => boolean

const note = (field: string, kind: ProblemKind, detail: string, from: string): string =>
  `INSERT INTO temp.import_problems SELECT s.row, s.line, s.raw, '${field}', '${kind}', ${detail} FROM ${from}`

const isUnique = ({ unique, key }: Resource): boolean => unique.some(set => set.join() === key.join())

/** The statements that note broken rules, in an order in which each may use the results of those before. */
export function rulesSql(staged: Staged, { anyMatch, isAscending }: Known, probe: Probe): string[] {
  const { resource, mode, allowDuplicates } = staged.plan
  const isFree = mode === 'insert' && allowDuplicates && !isUnique(resource)
  return [
    ...(isFree || isAscending ? [] : duplicates(staged, resource.key, probe)),
    ...(!isFree && anyMatch ? matchProblems(staged) : []),
    ...resource.unique
      .filter(set => set.join() !== resource.key.join() && set.every(staged.isGiven))
      .flatMap(set => [...duplicates(staged, set, probe), taken(staged, set)]),
    ...references(staged, probe),
    ...outsiders(staged),
    ...foreignReferences(staged),
    ...(anyMatch ? moves(staged) : []),
    ...limit(staged),
  ]
}

/** Rows that repeat these fields of an earlier row. */
function duplicates({ plan, of }: Staged, set: readonly string[], probe: Probe): string[] {
  const varying = set.filter(name => plan.columns.includes(name))
  const group = varying.map(name => `g.${name}`).join()
  const grouped = `temp.import_rows g ${group ? `GROUP BY ${group}` : ''}`
  if (!probe(`SELECT 1 FROM ${grouped} HAVING count(*) > 1 LIMIT 1`)) return []
  const same = ['s.seq > d.first', ...varying.map(name => `d.${name} = ${of(name)}`)]
  const first = `(SELECT ${['min(g.seq) AS first', 'g.line', ...varying.map(name => `g.${name}`)].join()}
    FROM ${grouped} HAVING count(*) > 1) d`
  return [note(set.at(-1) ?? '', 'duplicate', 'd.line', `${first} JOIN temp.import_rows s ON ${same.join(' AND ')}`)]
}

function matchProblems({ plan }: Staged): string[] {
  const field = plan.resource.key.at(-1) ?? ''
  const from = 'temp.import_matches m CROSS JOIN temp.import_rows s ON s.seq = m.seq'
  const several = note(field, 'several', 'NULL', `${from} WHERE m.several`)
  return plan.mode === 'insert' ? [several, note(field, 'taken', 'NULL', `${from} WHERE NOT m.several`)] : [several]
}

/** Incoming rows whose unique values already belong to another stored record. */
function taken({ plan, of }: Staged, set: readonly string[]): string {
  const same = set.map(name => `t.${name} = ${of(name)}`).join(' AND ')
  const untouched = plan.mode === 'skip' ? 'm.id IS NULL AND' : ''
  return note(
    set.at(-1) ?? '',
    'taken',
    'NULL',
    `temp.import_rows s LEFT JOIN temp.import_matches m ON m.seq = s.seq
     WHERE ${untouched} EXISTS (SELECT 1 FROM main.${tableOf(plan.resource.name)} t WHERE ${same} AND t.id IS NOT m.id)`,
  )
}

function references(staged: Staged, probe: Probe): string[] {
  const { plan, of, isGiven } = staged
  const loose = looseReferences(plan.resource).filter(({ field }) => isGiven(field))
  return [
    ...plainReferences(staged, probe),
    ...loose.flatMap(({ field, by, targets }) =>
      Object.entries(targets).map(([kind, to]) =>
        note(
          field,
          'reference',
          'NULL',
          `temp.import_rows s WHERE ${of(by)} = '${kind}' AND ${of(field)} NOT NULL
        AND NOT EXISTS (SELECT 1 FROM main.${tableOf(to)} p WHERE p.id = ${of(field)})`,
        ),
      ),
    ),
  ]
}

function plainReferences({ plan, of, isGiven }: Staged, probe: Probe): string[] {
  return checkedReferences(plan.resource).flatMap(([field, to]) => {
    if (!isGiven(field)) return []
    const target = `SELECT 1 FROM main.${tableOf(to)} p WHERE p.id = ${of(field)}`
    if (!plan.columns.includes(field) && probe(target)) return []
    return [
      note(field, 'reference', 'NULL', `temp.import_rows s WHERE ${of(field)} NOT NULL AND NOT EXISTS (${target})`),
    ]
  })
}

/** Rows outside the tenant that all must belong to. */
function outsiders({ plan, of }: Staged): string[] {
  const side = plan.tenantId === undefined ? undefined : tenantSide(plan.resource)
  if (!side) return []
  const owner = withinSql(side, TENANT, of)
  return [note(side.field, 'outside', 'NULL', `temp.import_rows s WHERE ${owner} <> ${plan.tenantId}`)]
}

/** New records whose references belong to different tenants, or to whatever else they must share. */
function foreignReferences({ plan, of }: Staged): string[] {
  const { within } = plan.resource
  const [first, ...others] = sidesOf(plan.resource)
  if (!within?.isRule || !first) return []
  const owner = (side: Side): string => withinSql(side, within.field, of)
  return others.map(side =>
    note(
      side.field,
      'foreign',
      'NULL',
      `temp.import_rows s
       WHERE s.seq NOT IN (SELECT seq FROM temp.import_matches) AND ${owner(first)} <> ${owner(side)}`,
    ),
  )
}

/** Stored records that an upsert would move to another tenant while records that refer to them stay behind. */
function moves({ plan, of, isGiven }: Staged): string[] {
  const { resource, mode } = plan
  const joints = jointsAt(resource)
  const [within] = new Set(joints.map(joint => joint.within))
  if (within === undefined || mode !== 'upsert' || !isGiven(within) || resource.key.includes(within)) return []
  const to = of(within)
  return [
    note(
      within,
      'joined',
      'NULL',
      `temp.import_matches m CROSS JOIN temp.import_rows s ON s.seq = m.seq JOIN main.${tableOf(resource.name)} t ON t.id = m.id
       WHERE NOT m.several AND t.${within} <> ${to}
         AND (${joints.map(joint => joinedSql(joint, 'm.id', to)).join(' OR ')})`,
    ),
  ]
}

/** The new records, in order, beyond a parent's limit; counts each parent's records once. */
function limit({ plan, of }: Staged): string[] {
  const { resource } = plan
  if (!resource.limit) return []
  const { by, parent, max } = resource.limit
  return [
    `WITH fresh AS (
       SELECT s.row, s.line, s.raw, ${of(by)} AS parent, row_number() OVER (PARTITION BY ${of(by)} ORDER BY s.seq) AS nth
       FROM temp.import_rows s
       WHERE s.seq NOT IN (SELECT seq FROM temp.import_matches) AND s.row NOT IN (SELECT row FROM temp.import_problems)
     ), present AS MATERIALIZED (
       SELECT p.id, p.${max} AS max, (SELECT count(*) FROM main.${tableOf(resource.name)} t WHERE t.${by} = p.id) AS count
       FROM main.${tableOf(parent)} p WHERE p.id IN (SELECT DISTINCT parent FROM fresh)
     )
     ${note(
       by,
       'limit',
       's.max',
       `(SELECT f.*, p.max FROM fresh f JOIN present p ON p.id = f.parent
       WHERE f.nth + p.count > p.max ORDER BY f.row) s`,
     )}`,
  ]
}

const PAGE = 500

/** Yields what was noted, in the order of the rows and of the declaration. */
export async function* rejectionsOf({ db }: Connection, resource: Resource): AsyncIterable<Rejection> {
  db.exec('CREATE INDEX IF NOT EXISTS temp.import_problems_by_row ON import_problems (row)')
  const select = db.prepare<[number], StagedProblem>('SELECT * FROM temp.import_problems WHERE row > ? ORDER BY row')
  const after = (last?: RowProblems) => byRow(select.iterate(last?.[0].row ?? -1))
  for (const page of keySetPages<RowProblems>(PAGE, after, ([{ raw }]) => raw?.length ?? 0))
    yield* page.map(problems => rejectionFor(resource, problems))
}
