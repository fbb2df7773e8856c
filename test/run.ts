import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { bundledTests } from './support/bundled.ts'
import { clear, clusterOfTests } from './support/citus.ts'
import { onPostgresToo, runsOnBoth, runsOnCitus, STORAGE } from './support/postgres/both.ts'
import { CHOSEN, needsServer, startServer, type TestServer } from './support/postgres/server.ts'

/** Runs every test below this folder, or those whose path contains one of the arguments. */
const wanted = process.argv.slice(2)
/** Many tests wait for other programs: two in parallel fill each other's pauses, even on one core. */
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism())}`
/** In milliseconds: a file that runs longer hangs, and fails. */
const patience = '--test-timeout=600000'
/** Ends a file's process when its tests have ended: soon if one has failed, and after a minute if something stays open. */
const endFailed = `--import=${new URL('support/end-failed.mjs', import.meta.url).href}`
const storage = process.env[STORAGE] ?? (wanted.length === 0 ? 'both' : 'sqlite')
const paths = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map(path => `test/${path}`)
  .filter(path => (storage === 'citus' ? runsOnCitus(path) : path.endsWith('.test.ts')))
  .filter(path => wanted.length === 0 || wanted.some(part => path.includes(part)))
  .sort()

const twice = storage === 'both' ? paths.filter(runsOnBoth) : []

/** One server for all files that need it. */
async function serverOfTests(): Promise<TestServer | null> {
  if (storage === 'citus') {
    const cluster = await clusterOfTests()
    await clear(cluster)
    return { ...cluster, stop: () => clear(cluster) }
  }
  return storage === 'postgres' || twice.length > 0 || paths.some(needsServer) ? startServer() : null
}

async function run(): Promise<number> {
  const server = await serverOfTests()
  try {
    const { fileOf, remove } = await bundledTests(paths)
    const files = [...paths.map(fileOf), ...twice.map(path => onPostgresToo(fileOf(path)))]
    return await ran(files, server && storage !== 'citus' ? { [CHOSEN]: server.address('postgres') } : {}).finally(
      remove,
    )
  } finally {
    await server?.stop()
  }
}

/** Runs test files with these variables; returns the exit code. */
async function ran(files: readonly string[], more: NodeJS.ProcessEnv): Promise<number> {
  const flags = ['--enable-source-maps', endFailed, '--test', concurrency, patience, '--test-reporter=spec']
  const child = spawn(process.execPath, [...flags, ...files], { stdio: 'inherit', env: { ...process.env, ...more } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [status] = await once(child, 'close')
  return status ?? 1
}

if (paths.length > 0) process.exitCode = await run()
else {
  process.stderr.write(`No test file has ${wanted.join(' or ')} in its path.\n`)
  process.exitCode = 1
}
