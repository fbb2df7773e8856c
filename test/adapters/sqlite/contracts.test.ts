import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { jobFolder } from '../../../adapters/files/job-folder.ts'
import { openStorage, type SqliteStorage } from '../../../adapters/sqlite/storage.ts'
import { EVERY_PORT, portsWithoutContract, prove } from '../../contracts/all.ts'
import type { Port } from '../../contracts/contract.ts'
import { type ManualClock, manualClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/http/app.ts'

type Left = Exclude<keyof SqliteStorage, Port | 'connection' | 'writer' | 'holdsThread' | 'isShared' | 'close'>

/** A port that the storage has and the contracts lack does not compile. */
const isComplete: [Left] extends [never] ? true : Left = true

test('every port of a storage has a contract', () => {
  assert.ok(isComplete)
  assert.deepEqual(portsWithoutContract(), [])
})

const folder = temporaryFolder()
after(folder.remove)

/** An empty database, made once: copying it costs a tenth of making another. */
const empty = join(folder.path, 'empty.db')
await openStorage(empty, { clock: manualClock(), create: true, migrate: true }).close()
let files = 0

/** Its uploads and jobs are files. */
const withJobs = (storage: SqliteStorage) => ({
  ...storage,
  jobs: jobFolder(join(folder.path, `jobs-${++files}`)),
})

const open = (path: string, clock: ManualClock) => withJobs(openStorage(path, { clock }))

const onFile = (clock: ManualClock) => {
  const path = join(folder.path, `${++files}.db`)
  copyFileSync(empty, path)
  return open(path, clock)
}

prove({ name: 'SQLite on a file', serves: EVERY_PORT, open: onFile, openBackup: open })
prove({ name: 'SQLite in memory', serves: EVERY_PORT, open: clock => open(':memory:', clock), openBackup: open })
