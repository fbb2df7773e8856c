import { parseArgs } from 'node:util'
import { fuzz } from './run.ts'

/** npm run fuzz -- [--rounds N] [--seed N] [--seconds N] */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '600' },
  },
})

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const [wanted, seed, maxSeconds] = [Number(values.rounds), Number(values.seed), Number(values.seconds)]
print(`seed ${seed}`)
const started = performance.now()
const { rounds, inputs, problems, statuses } = await fuzz({ rounds: wanted, seed, maxSeconds, print })
for (const problem of problems) print(problem)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
print(`${inputs} inputs in ${rounds} rounds, ${seconds} s; requests by status ${JSON.stringify(statuses)}`)
print(`${problems.length} problems with seed ${seed}`)
process.exitCode = problems.length === 0 && rounds >= wanted ? 0 : 1
