import { median, milliseconds, perSecond, times } from '../figures.ts'
import { MEASURES, type Measure } from '../storages/measures.ts'
import { openPair, type Pair } from '../storages/pair.ts'
import type { Line } from '../table.ts'
import type { Bench, Row } from './row.ts'

const CHOSEN = 'TRUNKLINE_BENCH_STORAGES'

/** The ports of PostgreSQL beside those of SQLite, by turns in one process; `TRUNKLINE_BENCH_STORAGES=get,post` picks. */
export const storages: Row = {
  name: 'storages',
  run: async bench => {
    const pair = await openPair(bench.databases.ours)
    try {
      const chosen = process.env[CHOSEN]?.split(',') ?? Object.keys(MEASURES)
      const lines: Line[] = []
      for (const [name, measure] of Object.entries(MEASURES))
        if (chosen.includes(name)) lines.push(await lineOf(measure, pair, bench))
      return lines
    } finally {
      await pair.close()
    }
  },
}

async function lineOf(measure: Measure, { sqlite, postgres }: Pair, bench: Bench): Promise<Line> {
  const found: { readonly sqlite: number; readonly postgres: number }[] = []
  for (let round = 0; round < (measure.isOnce ? 1 : bench.rounds); round++)
    found.push({ sqlite: await measure.run(sqlite, bench), postgres: await measure.run(postgres, bench) })
  const { what, kind, goal, isAbsolute } = measure
  const ratio = median(found.map(round => round.postgres / round.sqlite))
  const ours = median(found.map(round => round.postgres))
  const shown = kind === 'rate' ? perSecond : milliseconds
  return {
    what: `PostgreSQL beside SQLite: ${what}`,
    baseline: shown(median(found.map(round => round.sqlite))),
    ours: shown(ours),
    ratio: times(ratio),
    goal: `${kind === 'rate' ? '≥' : '≤'} ${isAbsolute ? shown(goal) : `${goal} ×`}`,
    met: kind === 'rate' ? (isAbsolute ? ours : ratio) >= goal : ratio <= goal,
  }
}
