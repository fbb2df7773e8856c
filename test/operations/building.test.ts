import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { temporaryFolder } from '../support/http/app.ts'
import { type Ran, run } from '../support/programs.ts'

const folder = temporaryFolder()
const clone = join(folder.path, 'clone')
const build = (...args: string[]): Promise<Ran> =>
  run(process.execPath, [join(clone, 'config', 'build', 'build.mjs'), ...args])
const program = (name: string): string => join(clone, 'dist', 'bin', `${name}.js`)
const version = join(clone, 'core', 'version.ts')

async function done(running: Promise<Ran>): Promise<string> {
  const { code, stdout, stderr } = await running
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

before(() => {
  mkdirSync(clone)
  for (const name of ['adapters', 'bin', 'config', 'core', 'package.json', 'package-lock.json'])
    cpSync(name, join(clone, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'))
})
after(folder.remove)

describe('building', { timeout: 60_000 }, () => {
  it('makes both programs, and nothing when nothing has changed', async () => {
    await done(build())
    for (const name of ['trunkline', 'trunklined'])
      assert.match(await done(run(process.execPath, [program(name), '--version'])), /^\d+\.\d+\.\d+\n$/)
    const past = new Date(0)
    utimesSync(program('trunkline'), past, past)
    const before = readdirSync(join(clone, 'dist'))
    await done(build())
    assert.deepEqual(readdirSync(join(clone, 'dist')), before)
    assert.equal(statSync(program('trunkline')).mtimeMs, 0)
  })

  it('replaces a build in one step: a program started meanwhile is the old one or the new one', async () => {
    writeFileSync(version, readFileSync(version, 'utf8').replace(/'\d[^']*'/, "'9.9.9'"))
    const building = build()
    let isBuilding = true
    const ended = building.finally(() => {
      isBuilding = false
    })
    const seen = new Set<string>()
    while (isBuilding) seen.add(await done(run(process.execPath, [program('trunkline'), '--version'])))
    await done(ended)
    assert.equal(await done(run(process.execPath, [program('trunkline'), '--version'])), '9.9.9\n')
    for (const one of seen) assert.match(one, /^(?:\d\.\d\.\d)\n$/)
  })

  it('keeps the files that a running program has yet to load', async () => {
    const args = ['--db', join(folder.path, 'test.db'), 'init', '--email', 'a@example.com', '--password-file', '-']
    const child = spawn(process.execPath, [program('trunkline'), ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
    writeFileSync(version, readFileSync(version, 'utf8').replace('9.9.9', '9.9.8'))
    await done(build())
    child.stdin.end('correct horse\n')
    const said = await text(child.stderr)
    assert.match(said, /is ready/)
  })
})
