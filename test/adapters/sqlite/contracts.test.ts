import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { openStorage, type Storage } from '../../../adapters/sqlite/storage.ts'
import { prove } from '../../contracts/all.ts'
import type { Port } from '../../contracts/contract.ts'
import { type ManualClock, manualClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/http/app.ts'

const serves: readonly Port[] = [
  'records',
  'messages',
  'accounts',
  'sessions',
  'audit',
  'notices',
  'serverKeys',
  'bulk',
  'calls',
  'limitUsage',
  'switchDirectory',
  'decks',
  'retention',
  'maintenance',
  'heartbeat',
  'indexing',
  'gauges',
  'smsRoutes',
  'trunkRoutes',
  'smsReports',
]

const folder = temporaryFolder()
after(folder.remove)

/** An empty database, made once: a copy of it costs a tenth of making another. */
const empty = join(folder.path, 'empty.db')
await openStorage(empty, { clock: manualClock(), create: true, migrate: true }).close()
let files = 0

const onFile = (clock: ManualClock): Storage => {
  const path = join(folder.path, `${++files}.db`)
  copyFileSync(empty, path)
  return openStorage(path, { clock })
}

const openBackup = (path: string, clock: ManualClock): Storage => openStorage(path, { clock })

prove({ name: 'SQLite on a file', serves, open: onFile, openBackup })
prove({ name: 'SQLite in memory', serves, open: clock => openStorage(':memory:', { clock }), openBackup })
