import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeImportedCalls, writeSwitchCalls } from '../call-files.ts'
import { perSecond, times } from '../figures.ts'
import { timed } from './programs.ts'
import type { Row } from './row.ts'

/** Calls taken in by the command line, on both storages, by one program each; it writes so much that once is enough. */
const transfer = (
  name: string,
  what: string,
  share: number,
  write: (file: string, count: number) => Promise<void>,
  args: readonly string[],
  goalOf: (found: { readonly ratio: number; readonly ours: number }) => { goal: string; met: boolean },
): Row => ({
  name,
  run: async ({ commandLine, databases, cdrs, folder }) => {
    const count = Math.ceil(cdrs * share)
    const file = join(folder, `${name}.csv`)
    await write(file, count)
    const rateOn = (database: string): number =>
      (count * 1000) / timed([commandLine, ...args, file, '--db', database, '--quiet'])
    const baseline = rateOn(databases.baseline)
    const ours = rateOn(databases.ours)
    rmSync(file)
    const ratio = ours / baseline
    const goal = goalOf({ ratio, ours })
    return [{ what, baseline: perSecond(baseline), ours: perSecond(ours), ratio: times(ratio), ...goal }]
  },
})

const LEAST_INGESTED = 20_000

export const ingestCalls = transfer(
  'ingest-calls',
  "rated ingest of a switch's calls, a fifth as many",
  0.2,
  writeSwitchCalls,
  ['cdr', 'ingest', '--timezone', 'UTC'],
  ({ ours }) => ({ goal: `≥ ${perSecond(LEAST_INGESTED)}`, met: ours >= LEAST_INGESTED }),
)

export const importCalls = transfer(
  'import-calls',
  'import of as many calls',
  1,
  writeImportedCalls,
  ['cdr', 'import'],
  ({ ratio }) => ({ goal: '≥ 0.5 ×', met: ratio >= 0.5 }),
)
