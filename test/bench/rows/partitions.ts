import { FULL_SIZE } from '../dataset.ts'
import { alternate, perSecond, times, whole } from '../figures.ts'
import { MEASURES, type Measure } from '../storages/measures.ts'
import { openParted, type PartedPair } from '../storages/parted.ts'
import type { Line } from '../table.ts'
import type { Bench, Row } from './row.ts'

/** The most that a growing number of calls may slow the least of them. */
const GOAL = 1 / 1.5

/** PostgreSQL with calls by month: as many as `--cdrs` says, beside the usual number, by turns in one process. */
export const partitions: Row = {
  name: 'partitions',
  run: async bench => {
    if (bench.cdrs <= FULL_SIZE.cdrs) return []
    const pair = await openParted(bench.databases.ours)
    try {
      const { get, post } = MEASURES
      const lines: Line[] = []
      for (const measure of [get, post]) if (measure) lines.push(await lineOf(measure, pair, bench))
      return lines
    } finally {
      await pair.close()
    }
  },
}

async function lineOf(measure: Measure, { few, many }: PartedPair, bench: Bench): Promise<Line> {
  const found = await alternate(
    bench,
    () => measure.run(few, { ...bench, cdrs: FULL_SIZE.cdrs }),
    () => measure.run(many, bench),
  )
  const ratio = found.ours / found.baseline
  return {
    what: `PostgreSQL, calls by month, ${whole(bench.cdrs)} beside ${whole(FULL_SIZE.cdrs)}: ${measure.what}`,
    baseline: perSecond(found.baseline),
    ours: perSecond(found.ours),
    ratio: times(ratio),
    goal: `≥ ${times(GOAL)}`,
    met: ratio >= GOAL,
  }
}
