// Builds the programs into dist if their sources have changed. Each build has its own folder, and dist/bin holds what
// starts the present one: a program that runs, or is being started, finds all its files.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.mjs'

const PROGRAMS = ['trunkline', 'trunklined']
const SOURCES = ['adapters', 'bin', 'config', 'core', 'package.json', 'package-lock.json']
/** Builds kept beside the present one, since running programs may still load files of theirs. */
const KEPT = 3
const BUILD = /^[0-9a-f]{16}$/

const OPTIONS = {
  entryPoints: [...PROGRAMS, 'storage-thread', 'lookup-thread'].map(name => `bin/${name}.ts`),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  outbase: 'bin',
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
  banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
  external: [
    '@koa/router',
    '@node-rs/argon2',
    'inquirer',
    'koa',
    'koa-session',
    'ofetch',
    'pino',
    'prom-client',
    'rate-limiter-flexible',
  ],
}

const filesIn = folder =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()

/** Returns a hash that identifies the present sources. */
function stampOf() {
  const hash = createHash('sha256')
  const add = path => hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  for (const top of SOURCES) {
    if (statSync(top).isFile()) add(top)
    else for (const path of filesIn(top)) add(path)
  }
  return hash.digest('hex').slice(0, 16)
}

const starterOf = (program, stamp) => `#!/usr/bin/env node\nimport '../${stamp}/${program}.js'\n`

const isCurrent = stamp =>
  existsSync(join('dist', stamp)) &&
  PROGRAMS.every(program => {
    const path = join('dist', 'bin', `${program}.js`)
    return existsSync(path) && readFileSync(path, 'utf8') === starterOf(program, stamp)
  })

async function compile(stamp) {
  const folder = join('dist', stamp)
  if (existsSync(folder)) return utimesSync(folder, new Date(), new Date())
  const draft = join('dist', `.draft-${process.pid}`)
  const { build } = await import('esbuild')
  await build({ ...OPTIONS, outdir: draft })
  await buildConsole(join(draft, 'console'))
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another build of the same sources was faster.
    if (!existsSync(folder)) throw error
  }
}

function start(stamp) {
  for (const program of PROGRAMS) {
    const path = join('dist', 'bin', `${program}.js`)
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, starterOf(program, stamp))
    chmodSync(draft, 0o755)
    renameSync(draft, path)
  }
}

/** Returns whether a process is working on this draft. */
function isBeingMade(draft) {
  try {
    return process.kill(Number(/\.(?:draft-)?(\d+)$/.exec(draft)?.[1]), 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Removes all but the newest older builds, and leftovers. */
function clear(stamp, kept) {
  const builtAt = name => statSync(join('dist', name)).mtimeMs
  const older = readdirSync('dist')
    .filter(name => BUILD.test(name) && name !== stamp)
    .sort((a, b) => builtAt(b) - builtAt(a))
  const staying = ['bin', stamp, ...older.slice(0, kept), ...PROGRAMS.map(program => `${program}.js`)]
  for (const folder of ['dist', join('dist', 'bin')])
    for (const name of readdirSync(folder))
      if (!staying.includes(name) && !isBeingMade(name)) rmSync(join(folder, name), { recursive: true, force: true })
}

process.chdir(fileURLToPath(new URL('../..', import.meta.url)))
mkdirSync(join('dist', 'bin'), { recursive: true })
const stamp = stampOf()
if (!isCurrent(stamp)) {
  await compile(stamp)
  start(stamp)
  clear(stamp, KEPT)
}
// A package contains only the present build.
if (process.argv.includes('--alone')) clear(stamp, 0)
