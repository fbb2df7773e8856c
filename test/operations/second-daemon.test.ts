import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { temporaryFolder } from '../support/app.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'

const folder = temporaryFolder()
const running: DaemonProcess[] = []
after(async () => {
  await Promise.all(running.map(daemon => daemon.stop('SIGKILL')))
  folder.remove()
})

const start = async (): Promise<DaemonProcess> => {
  const daemon = await startDaemon({ TRUNKLINE_DB: join(folder.path, 'test.db') })
  running.push(daemon)
  return daemon
}

const skip = existsSync('/proc/locks') ? false : 'the system does not tell who locks a file'

it('a daemon warns at its start of another on the same database, and not of one that was killed', {
  skip,
}, async () => {
  const first = await start()
  const second = await start()
  assert.match((await second.stop()).stderr, /"level":40,.*another process has the database open/)
  const { stderr: alone } = await first.stop('SIGKILL')
  const third = await start()
  const { stderr: later } = await third.stop()
  for (const log of [alone, later]) assert.doesNotMatch(log, /another process/)
})
