import { parseArgs } from 'node:util'
import { fuzz } from './run.ts'

/** npm run fuzz -- [--count N] [--seed N] [--seconds N] */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '600' },
  },
})

/** What the resident set may grow by between the second and the last quarter of a run. */
const MAX_GROWTH = 1.25

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const [count, seed, maxSeconds] = [Number(values.count), Number(values.seed), Number(values.seconds)]
print(`seed ${seed}`)
const started = performance.now()
const { sent, problems, statuses, resident } = await fuzz({ count, seed, maxSeconds, print })
const quarter = resident.length >> 2
const [warm, last] = [median(resident.slice(quarter, 2 * quarter)), median(resident.slice(-quarter))]
for (const problem of problems) print(problem)
print(
  `${sent} requests in ${((performance.now() - started) / 1000).toFixed(0)} s, by status ${JSON.stringify(statuses)}`,
)
print(`resident set after warm-up ${warm.toFixed(0)} MiB, at the end ${last.toFixed(0)} MiB`)
print(`${problems.length} problems with seed ${seed}`)
const isFlat = warm === 0 || last <= warm * MAX_GROWTH
if (!isFlat) print('the resident set grew')
process.exitCode = problems.length === 0 && isFlat && sent >= count ? 0 : 1
