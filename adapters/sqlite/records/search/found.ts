import { tableOf } from '../../../sql/table.ts'
import { PIECE, upTo } from '../../database/key-set.ts'
import {
  afterSql,
  bindPlace,
  byPlace,
  columnsSql,
  fromSql,
  type Plan,
  type Stretch,
  type ViewRow,
  whereSql,
} from '../list-plan.ts'
import { merged } from '../merged.ts'
import { sorted, sorts } from '../sorted.ts'
import { inStretches } from '../stretches.ts'
import { candidates, isLong, lengthSql, SEPARATOR, searchedText } from './search-index.ts'

/** Records examined at once: 2 ms. */
const SCAN = 2_000
/** Matches read at once, as in a list. */
const PAGE = 100
/** Records checked and shown at once. */
const SHOWN = 500
/** If at most this many may contain the text, they are rendered while they are checked, up to this many characters. */
const FEW = 4_000
const KEPT = 2 * 1024 * 1024

/**
 * Yields the records that contain the needle, at least the first `most`: by the index if it narrows the search, else by
 * examining them.
 */
export async function* found(plan: Plan, needle: string, most: number | undefined): AsyncIterable<Stretch> {
  const { connection, resource, isUnbounded, take } = plan
  const showsAll = most === undefined
  const ids = needle.includes(SEPARATOR) ? [] : await take(() => candidates(connection, resource, needle))
  if (ids !== null) return yield { rows: await matching(plan, needle, ids, showsAll), isLast: true }
  const holds = { sql: `holds(${searchedText(resource)}, ?)`, bound: [needle] }
  if (sorts(plan)) yield { rows: await sorted(plan, most, holds), isLast: true }
  else yield* inStretches(plan, { withJson: showsAll || !isUnbounded, page: PAGE, most, holds })
}

/**
 * Yields the candidates that really match, in the resource's order. Finding a record costs as much as rendering it, so
 * if all of a few are wanted, they come with their JSON; otherwise only their places are kept.
 */
async function matching(
  plan: Plan,
  needle: string,
  ids: readonly number[],
  showsAll: boolean,
): Promise<readonly ViewRow[]> {
  const { resource, conditions, take } = plan
  const text = searchedText(resource)
  // Most candidates match, and mostly as written: SQLite's own search then needs no call out of it.
  const holds = `(instr(lower(${text}), ?) OR holds(${text}, ?))`
  const where = whereSql('t.id = j.value', holds, ...conditions, plan.from !== null && afterSql(plan))
  const bound = [needle, needle, ...plan.bound, ...bindPlace(plan, plan.from)]
  const compare = byPlace(plan)
  const stretches: ViewRow[][] = []
  let kept = showsAll && ids.length <= FEW && !plan.isUnbounded ? 0 : KEPT
  let start = 0
  const step = (): boolean => {
    const isShown = kept < KEPT
    const stretch = atOnce(plan, ids.slice(start, start + (isShown ? SHOWN : SCAN)))
    start += stretch.length
    const rows = plan.connection
      .rows<(string | number)[], ViewRow>(
        `SELECT ${columnsSql(plan, isShown)} FROM json_each(?) j CROSS JOIN ${fromSql(plan, isShown)} ${where}`,
      )
      .all(JSON.stringify(stretch), ...bound)
    kept = rows.reduce((sum, [json]) => sum + json.length, kept)
    stretches.push(rows.sort(compare))
    return start < ids.length
  }
  while (await take(step));
  return merged(stretches, compare, take)
}

/** Returns as many of the first records as are examined at once. */
function atOnce({ connection, resource }: Plan, ids: readonly number[]): readonly number[] {
  if (!isLong(resource)) return ids
  const lengths = connection.value<[string], number>(
    `SELECT ${lengthSql(resource)} FROM json_each(?) j LEFT JOIN ${tableOf(resource.name)} t ON t.id = j.value ORDER BY j.rowid`,
  )
  return ids.slice(0, upTo(PIECE, lengths.iterate(JSON.stringify(ids)), of => of).rows.length)
}
