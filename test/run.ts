import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { bundledTests } from './support/bundled.ts'
import { onPostgresToo, runsOnBoth, STORAGE } from './support/postgres/both.ts'
import { CHOSEN, needsServer, startServer } from './support/postgres/server.ts'

/** Runs every test below this folder, or those whose path contains one of the arguments. */
const wanted = process.argv.slice(2)
/** Many tests wait for other programs: two in parallel fill each other's pauses, even on one core. */
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism())}`
/** In milliseconds: a file that runs longer hangs, and fails. */
const patience = '--test-timeout=600000'
const paths = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .map(path => `test/${path}`)
  .filter(path => wanted.length === 0 || wanted.some(part => path.includes(part)))
  .sort()

const storage = process.env[STORAGE] ?? (wanted.length === 0 ? 'both' : 'sqlite')
const twice = storage === 'both' ? paths.filter(runsOnBoth) : []

async function run(): Promise<number> {
  const { fileOf, remove } = await bundledTests(paths)
  const files = [...paths.map(fileOf), ...twice.map(path => onPostgresToo(fileOf(path)))]
  // One server for all files that need it.
  const server = storage === 'postgres' || twice.length > 0 || paths.some(needsServer) ? await startServer() : null
  try {
    const flags = ['--enable-source-maps', '--test', concurrency, patience, '--test-reporter=spec']
    const child = spawn(process.execPath, [...flags, ...files], {
      stdio: 'inherit',
      env: { ...process.env, ...(server ? { [CHOSEN]: server.address('postgres') } : {}) },
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    const [status] = await once(child, 'close')
    return status ?? 1
  } finally {
    await server?.stop()
    remove()
  }
}

if (paths.length > 0) process.exitCode = await run()
else {
  process.stderr.write(`No test file has ${wanted.join(' or ')} in its path.\n`)
  process.exitCode = 1
}
