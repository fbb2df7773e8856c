import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { alternate, median, milliseconds, times } from '../figures.ts'
import { hasProgram } from '../load.ts'
import { startDaemon } from '../servers.ts'
import type { Line } from '../table.ts'
import type { Bench, Row } from './row.ts'

const RUNS = 5
const NODE = ['-e', '0']

/** Runs node with these arguments; returns the milliseconds it took. */
export function timed(args: readonly string[]): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args)
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - started
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The median time of several runs, in milliseconds. */
function spent(args: readonly string[], folder: string): number {
  if (!hasProgram('hyperfine')) return median(Array.from({ length: RUNS }, () => timed(args)))
  const report = join(folder, 'hyperfine.json')
  const command = [process.execPath, ...args].map(quoted).join(' ')
  const { status, stderr } = spawnSync('hyperfine', ['-N', '-w1', `-r${RUNS}`, '--export-json', report, command])
  if (status !== 0) throw new Error(String(stderr))
  const { results } = JSON.parse(readFileSync(report, 'utf8')) as { results: { median: number }[] }
  return (results[0]?.median ?? Number.NaN) * 1000
}

/** Beside `node -e 0`, or beside the same on SQLite. */
async function against(
  bench: Bench,
  what: string,
  goal: number,
  run: (database: string) => Promise<number>,
): Promise<Line> {
  const { databases, folder } = bench
  const isBare = bench.beside === 'bare program'
  const found = await alternate(
    bench,
    async () => (isBare ? spent(NODE, folder) : run(databases.baseline)),
    () => run(databases.ours),
  )
  const ratio = found.ours / found.baseline
  return {
    what,
    baseline: `${milliseconds(found.baseline)}${isBare ? ' (`node -e 0`)' : ''}`,
    ours: milliseconds(found.ours),
    ratio: times(ratio),
    ...(isBare ? { goal: `≤ ${goal} ×`, met: ratio <= goal } : { goal: '', met: null }),
  }
}

export const commandLine: Row = {
  name: 'command-line',
  run: async bench => {
    const { commandLine: program, folder } = bench
    const run = (what: string, goal: number, args: (database: string) => readonly string[]): Promise<Line> =>
      against(bench, `\`trunkline ${what}\``, goal, async database => spent([program, ...args(database)], folder))
    return [
      await run('--version', 2, () => ['--version']),
      await run('tenant list', 3, database => ['tenant', 'list', '--db', database]),
    ]
  },
}

/** With node:http, which is already loaded: the first fetch of a process takes longer than the daemon's start. */
const answer = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, response => response.resume().once('end', resolve)).once('error', reject)
  })

export const start: Row = {
  name: 'start',
  run: async bench => [
    await against(bench, 'start of the daemon until it answers', 5, async database => {
      const started = performance.now()
      const daemon = await startDaemon(bench.program, database)
      await answer(`${daemon.url}/healthz`)
      const taken = performance.now() - started
      await daemon.stop()
      return taken
    }),
  ],
}
