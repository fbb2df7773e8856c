import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, statSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { unbuilt, type Workplace, workplace } from '../support/cli/cli.ts'

describe('where standard output is the journal, the daemon', { skip: unbuilt, timeout: 60_000 }, () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await place.ready
  })
  after(() => place.remove())

  it('creates no account whose password it would print, serves, and says what to do', async () => {
    const [journal, log] = [place.path('journal'), place.path('log')]
    const stdout = openSync(journal, 'w')
    const { dev, ino } = statSync(journal)
    const env = { ...process.env, ...place.env, TRUNKLINE_PORT: '0', JOURNAL_STREAM: `${dev}:${ino}` }
    const child = spawn(process.execPath, ['dist/bin/trunklined.js'], {
      env,
      stdio: ['ignore', stdout, openSync(log, 'w')],
    })
    try {
      while (!readFileSync(journal, 'utf8').includes('listening')) await pause(20)
      assert.doesNotMatch(readFileSync(journal, 'utf8'), /password/)
      assert.deepEqual(await place.json('trunkline admin list'), [])
      await place.done('trunkline init --email admin@example.com --random-password')
    } finally {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'close')
    }
    assert.match(readFileSync(log, 'utf8'), /"command":"trunkline init".*there is no account yet/)
  })
})

it('the service unit names no password and no file with one', () => {
  assert.doesNotMatch(readFileSync('config/trunklined.service', 'utf8'), /TRUNKLINE_ADMIN_PASSWORD|EnvironmentFile/)
})

it('the daemon keeps no password in its environment once it is used', { skip: unbuilt }, async () => {
  const place = workplace()
  await place.ready
  const env = { ...place.env, TRUNKLINE_PORT: '0', TRUNKLINE_ADMIN_PASSWORD: 'correct horse' }
  const script = `
    import { runDaemon } from './bin/daemon/run-daemon.ts'
    import { loadSettings } from './config/load.ts'
    const { settings } = loadSettings({ flags: {}, environment: process.env, file: undefined })
    process.stdout.write = () => {
      console.error(process.env.TRUNKLINE_ADMIN_PASSWORD === undefined ? 'forgotten' : 'kept')
      process.exit(0)
    }
    await runDaemon(settings, { force: false })`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  await once(child, 'close')
  place.remove()
  assert.match(said, /^forgotten$/m)
})
