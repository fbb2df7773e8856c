import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isJsonObject } from '../core/json.ts'
import { VERSION } from '../core/version.ts'
import { circlesIn, importsOf, problemsOf, STORAGE_PORTS } from './support/architecture.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

function jsonOf(path: string): Record<string, unknown> {
  const content: unknown = JSON.parse(read(path))
  assert.ok(isJsonObject(content))
  return content
}

const filesIn = (top: string): string[] =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => `${top}/${path.replaceAll('\\', '/')}`)
    .filter(path => !path.startsWith('config/build/'))

const sources = ['core', 'adapters', 'bin', 'config'].flatMap(filesIn)

test('no file reaches into a layer that it should know nothing of', () => {
  assert.ok(sources.length > 50)
  const problems = sources.flatMap(path => problemsOf(path, read(path)))
  assert.deepEqual(problems, [], problems.join('\n'))
})

test('no file imports another in a circle', () => {
  const circles = circlesIn(new Map(sources.map(path => [path, read(path)])))
  assert.deepEqual(circles, [], circles.map(circle => circle.join(' > ')).join('\n'))
})

test('a circle is found by the types that are imported as well', () => {
  const sources = new Map([
    ['core/a.ts', `import { b } from './b.ts'`],
    ['core/b.ts', `import type { C } from './c/c.ts'\nimport { d } from './d.ts'`],
    ['core/c/c.ts', `type A = import('../a.ts').A`],
    ['core/d.ts', ''],
  ])
  assert.deepEqual(circlesIn(sources), [['core/a.ts', 'core/b.ts', 'core/c/c.ts', 'core/a.ts']])
})

test('the programs know one file of each adapter', () => {
  const known = new Map<string, Set<string>>()
  for (const path of filesIn('bin'))
    for (const imported of importsOf(read(path)).map(name => join(dirname(path), name))) {
      const [folder, adapter = '', ...rest] = imported.split('/')
      if (folder !== 'adapters') continue
      known.set(adapter, (known.get(adapter) ?? new Set()).add(rest.join('/')))
    }
  const several = [...known].filter(([, files]) => files.size > 1)
  assert.deepEqual(several, [], 'let the first of them hand on what bin wires')
})

test('the contracts and the fake know no adapter, so that core is tested without one', () => {
  const outside = [...filesIn('test/contracts'), ...filesIn('test/fakes')].flatMap(path =>
    importsOf(read(path))
      .filter(imported => /\/(adapters|bin|config)\//.test(imported))
      .map(imported => `${path} imports ${imported}`),
  )
  assert.deepEqual(outside, [])
})

test('one file says which table keeps the records of a resource', () => {
  const named = /\b(?:FROM|INTO|UPDATE|JOIN|main\.)\s*\$\{(?:\w+\.)*name\}/
  const found = [...filesIn('adapters/sqlite'), ...filesIn('adapters/sql')].filter(path => named.test(read(path)))
  assert.deepEqual(found, [], 'use tableOf')
})

test('a folder holds no more files than a reader takes in at once', () => {
  const counts = new Map<string, number>()
  for (const path of [...sources, ...filesIn('test')]) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const long = [...counts].filter(([folder, count]) => count > 16 && !folder.endsWith('/migrations'))
  assert.deepEqual(long, [], 'group them by what they are for')
})

describe('the check of the layers', () => {
  const finds = (path: string, text: string, problem: RegExp): void => {
    const [first, ...others] = problemsOf(path, text)
    assert.match(first ?? 'nothing was found', problem, text)
    assert.deepEqual(others, [])
  }
  const allows = (path: string, text: string): void => assert.deepEqual(problemsOf(path, text), [])

  test('keeps the core to itself and two libraries', () => {
    finds('core/a.ts', `import { x } from 'node:fs'`, /^core\/a\.ts:1 imports node:fs: .* port/)
    finds('core/a.ts', `import { x } from 'koa'`, /imports koa/)
    finds('core/a.ts', `import type { X } from 'typeboxes'`, /imports typeboxes/)
    finds(
      'core/use-cases/a.ts',
      `\nimport { x } from '../../adapters/sqlite/a.ts'`,
      /:2 imports adapters\/sqlite\/a\.ts: core/,
    )
    finds('core/a.ts', `const x = await import('../config/a.ts')`, /imports config\/a\.ts: core/)
    finds('core/a.ts', `type X = import('../bin/a.ts').X`, /imports bin\/a\.ts: core/)
    finds('core/a.ts', `const x = require('os')`, /imports os/)
    finds('core/a.ts', 'const x = await import(name)', /only known when it runs/)
    allows('core/a.ts', `import { x } from 'typebox'\nimport { y } from 'typebox/value'\nimport z from 'lossless-json'`)
    allows('core/use-cases/a.ts', `import { x } from '../errors.ts'`)
  })

  test('keeps control flow from reading sentences', () => {
    finds('adapters/cli/a.ts', `if (/taken/.test(message)) go()`, /decides by the text of a message/)
    finds('adapters/cli/a.ts', `const x = / (\\d+) /.exec(error.message)`, /decides by the text of a message/)
    finds('core/a.ts', `if (error.sentence.endsWith('taken.')) go()`, /decides by the text of a message/)
    allows('core/a.ts', `if (error.rule === 'taken') go()`)
    allows('core/a.ts', `if (/taken/.test(name)) go()`)
  })

  test('lets commands call use cases, not the ports of the storage', () => {
    finds('adapters/cli/commands/a.ts', 'await services.calls.usage(1)', /calls the port calls: call a use case/)
    finds('adapters/cli/a.ts', 'const rows = await audit.list({})', /calls the port audit/)
    finds(
      'adapters/cli/commands/a.ts',
      'const directory = services.switchDirectory()',
      /calls the port switchDirectory/,
    )
    allows('adapters/cli/commands/a.ts', 'await usageReports(services, 1)\nawait each.calls()')
    allows('adapters/cli/doctor/a.ts', 'await maintenance.check()')
    allows('adapters/cli/commands/service/database-commands.ts', 'await maintenance.backup(to)')
    allows('adapters/http/a.ts', 'await audit.list({})')
    const [, declared = ''] = /interface StoragePorts \{([^}]*)\}/.exec(read('adapters/cli/context.ts')) ?? []
    const names = [...declared.matchAll(/^ {2}(?:readonly )?(\w+)/gm)].map(([, name]) => name)
    assert.deepEqual(names, STORAGE_PORTS)
  })

  test('lets the command line write to its streams in one file', () => {
    finds('adapters/cli/a.ts', `context.io.stdout.write(text)`, /writes to a stream of the program/)
    finds('adapters/cli/a.ts', `stderr.write(text)`, /writes to a stream of the program/)
    allows('adapters/cli/terminal/streams.ts', `stdout.write(text)`)
    allows('adapters/http/a.ts', `process.stderr.write(text)`)
  })

  test('keeps clocks, chance and the process out of the core', () => {
    finds('core/a.ts', 'const x = Date.now()', /uses Date\.now: take the time from the Clock port/)
    finds('core/a.ts', 'const x = new Date()', /uses new Date\(\)/)
    finds('core/a.ts', 'const x = new Date', /uses new Date\(\)/)
    finds('core/a.ts', 'const x = Date()', /uses Date\(\)/)
    finds('core/a.ts', 'const x = Math.random()', /uses Math\.random/)
    finds('core/a.ts', 'const x = process.env.TZ', /uses process/)
    finds('core/a.ts', 'const x = globalThis.process', /uses process/)
    finds('core/a.ts', 'const x = performance.now()', /uses performance/)
    allows(
      'core/a.ts',
      `const x = new Date(0), y = Date.parse('a'), z = Math.max(1, 2), w = { process: 1 }.process // Date.now()`,
    )
    allows('adapters/system/a.ts', 'const x = Date.now()')
  })

  test('lets only bin import adapters', () => {
    finds('adapters/http/a.ts', `import { x } from '../sqlite/a.ts'`, /imports adapters\/sqlite\/a\.ts: only bin/)
    finds('adapters/http/a.ts', `import { x } from '../../bin/a.ts'`, /imports bin\/a\.ts: only bin wires/)
    finds(
      'adapters/http/a.ts',
      `import { x } from '../../config/a.ts'`,
      /imports config\/a\.ts: an adapter imports core alone/,
    )
    finds('config/a.ts', `import { x } from '../adapters/http/a.ts'`, /only bin imports adapters/)
    finds('bin/a.ts', `import { x } from '../test/support/a.ts'`, /may not need the tests/)
    allows('adapters/http/a.ts', `import { x } from './b.ts'\nimport { y } from '../../core/a.ts'\nimport z from 'koa'`)
    allows('adapters/sqlite/migrations/a.ts', `import { x } from '../b.ts'`)
    allows('adapters/sqlite/records/a.ts', `import { x } from '../../sql/a.ts'`)
    allows('adapters/postgres/a.ts', `import { x } from '../sql/a.ts'`)
    finds('adapters/http/a.ts', `import { x } from '../sql/a.ts'`, /only bin imports adapters/)
    finds('adapters/sql/a.ts', `import { x } from '../sqlite/a.ts'`, /only bin imports adapters/)
    finds('adapters/sql/a.ts', `import x from 'better-sqlite3'`, /knows no driver/)
    allows('bin/a.ts', `import { x } from '../adapters/http/a.ts'\nimport { y } from '../config/a.ts'`)
  })

  test('finds default exports and barrels', () => {
    finds('core/a.ts', 'export default 1', /default export/)
    finds('bin/a.ts', 'export default function a() {}', /default export/)
    finds('bin/a.ts', 'const a = 1\nexport { a as default }', /default export/)
    finds('core/a.ts', `export { a } from './b.ts'`, /import it from there/)
    finds('core/a.ts', `export * from './b.ts'`, /import it from there/)
    allows('core/a.ts', 'const a = 1\nexport { a }\nexport const b = 2')
  })
})

test('the version in the source is that of the package', () => {
  assert.equal(VERSION, jsonOf('package.json').version, 'set core/version.ts to the version of package.json')
})

test('the lock file is of this version, and holds no addresses of where packages were downloaded', () => {
  assert.equal(jsonOf('package-lock.json').version, VERSION, 'run npm install --package-lock-only')
  assert.doesNotMatch(read('package-lock.json'), /"resolved"/, 'remove "resolved": .npmrc has the setting for it')
})

test('every library that is imported is a dependency of the program, not of its development', () => {
  const { dependencies } = jsonOf('package.json')
  assert.ok(isJsonObject(dependencies))
  for (const path of sources)
    for (const imported of importsOf(read(path)).filter(name => !/^(\.|node:)/.test(name))) {
      const name = imported.split('/', imported.startsWith('@') ? 2 : 1).join('/')
      assert.ok(Object.hasOwn(dependencies, name), `${path} imports ${name}: npm install ${name}`)
    }
})
