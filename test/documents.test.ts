import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { declarations, environmentName, isSettingName } from '../config/settings.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const pages = [
  ...readdirSync(root).filter(name => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
]

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

test('every link between the pages leads to an existing file', () => {
  const broken = pages.flatMap(page =>
    [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter(target => !existsSync(join(root, dirname(page), target)))
      .map(target => `${page}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('every test that SECURITY.md names exists', () => {
  let folder = ''
  const named = [...textOf('SECURITY.md').matchAll(/`((?:test\/)?[\w./-]+(?:\.test\.ts|\/))`/g)].map(
    ([, path = '']) => {
      if (path.startsWith('test/')) folder = dirname(path)
      return path.startsWith('test/') ? path : join(folder, path)
    },
  )
  assert.ok(named.length > 15)
  assert.deepEqual(
    named.filter(path => !existsSync(join(root, path))),
    [],
  )
})

test('docs/operating.md describes every setting', () => {
  const described = [...textOf('docs/operating.md').matchAll(/^\| `(TRUNKLINE_\w+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(
    described.toSorted(),
    Object.keys(declarations).filter(isSettingName).map(environmentName).toSorted(),
  )
})
