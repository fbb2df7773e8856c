import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { TYPESCRIPT } from './support/typescript.ts'

/** Runs every test below this folder, or those whose path contains one of the arguments. */
const wanted = process.argv.slice(2)
/** Many tests wait for other programs: two side by side fill each other's pauses, even on one core. */
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism())}`
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .map(path => `test/${path}`)
  .filter(path => wanted.length === 0 || wanted.some(part => path.includes(part)))
  .sort()
const { status } = spawnSync(
  process.execPath,
  [...TYPESCRIPT, '--test', concurrency, '--test-reporter=spec', ...files],
  {
    stdio: 'inherit',
  },
)
process.exit(files.length === 0 ? 1 : (status ?? 1))
