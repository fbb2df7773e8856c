import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bundled } from '../support/bundled.ts'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/http/app.ts'

const SYNCING = new URL('sync-child.ts', import.meta.url)
const WRITES = 20

const folder = temporaryFolder()
after(folder.remove)

/** Some systems have no strace, or forbid tracing. */
function whyNot(): string | false {
  const { error, status } = spawnSync('strace', [
    '-f',
    '-e',
    'trace=fsync',
    '-o',
    '/dev/null',
    process.execPath,
    '-e',
    '',
  ])
  if (error) return 'strace is not installed'
  return status === 0 ? false : 'strace may not trace here'
}

interface Call {
  readonly name: string
  /** The file under test. */
  readonly file: string
  readonly rest: string
}

/** The calls of a trace with -y, which names the file of each descriptor; joins calls that were split in two. */
function callsOf(trace: string): Call[] {
  const unfinished = new Map<string, string>()
  return trace.split('\n').flatMap(line => {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const cut = / <unfinished \.\.\.>$/
    if (cut.test(text)) {
      unfinished.set(thread, text.replace(cut, ''))
      return []
    }
    const resumed = /^<\.\.\. \w+ resumed>/
    const whole = resumed.test(text) ? `${unfinished.get(thread) ?? ''}${text.replace(resumed, '')}` : text
    const [, name, file = '', rest = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(whole) ?? []
    return name === undefined ? [] : [{ name, file, rest }]
  })
}

test('every acknowledged write was synced after it was written to the log', {
  skip: whyNot(),
  timeout: 60_000,
}, async () => {
  const path = join(folder.path, 'test.db')
  const trace = join(folder.path, 'trace')
  const calls = 'trace=write,pwrite64,writev,pwritev,fsync,fdatasync'
  const strace = ['strace', '-f', '-y', '-e', calls, '-o', trace]
  const child = startChild(await bundled(SYNCING), [path, String(WRITES)], strace)
  await child.ended()
  assert.equal(child.lines.length, 2 * WRITES)
  let [written, synced, acknowledged] = [0, 0, 0]
  for (const { name, file, rest } of callsOf(readFileSync(trace, 'utf8'))) {
    const isLog = file === `${path}-wal`
    if (isLog && /write/.test(name)) {
      written++
      synced = 0
    }
    if (isLog && /sync/.test(name)) synced++
    if (/"begun/.test(rest)) [written, synced] = [0, 0]
    if (!/"acknowledged/.test(rest)) continue
    acknowledged++
    assert.ok(written > 0, `write ${acknowledged} was acknowledged before it was in the log`)
    assert.ok(synced > 0, `write ${acknowledged} was acknowledged before the log was synced`)
  }
  assert.equal(acknowledged, WRITES)
})
