import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { TYPESCRIPT } from './support/typescript.ts'

/** These take longest, and wait much: they run first, so that others fill their pauses. */
const SLOWEST = ['durability/', 'operations/', 'bin/', 'e2e/']

const slowestFirst = (one: string, other: string): number => rank(one) - rank(other) || (one < other ? -1 : 1)

function rank(path: string): number {
  const found = SLOWEST.findIndex(folder => path.startsWith(`test/${folder}`))
  return found === -1 ? SLOWEST.length : found
}

/** Runs every test below this folder, or those whose path contains one of the arguments. */
const wanted = process.argv.slice(2)
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism())}`
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .map(path => `test/${path}`)
  .filter(path => wanted.length === 0 || wanted.some(part => path.includes(part)))
  .sort(slowestFirst)
const { status } = spawnSync(
  process.execPath,
  [...TYPESCRIPT, '--test', concurrency, '--test-reporter=spec', ...files],
  {
    stdio: 'inherit',
  },
)
process.exit(files.length === 0 ? 1 : (status ?? 1))
