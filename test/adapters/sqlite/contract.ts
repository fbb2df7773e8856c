import { join } from 'node:path'
import { test } from 'node:test'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import type { Accounts, Sessions } from '../../../core/ports/accounts.ts'
import type { Messages } from '../../../core/ports/messages.ts'
import type { Records } from '../../../core/ports/records.ts'
import { temporaryFolder } from '../../support/app.ts'
import { type ManualClock, manualClock } from '../../support/clock.ts'

/** The ports that a storage serves. The suites that use them know nothing of what is behind. */
export interface Ports {
  readonly records: Records
  readonly messages: Messages
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly clock: ManualClock
}

type Opened = Ports & { close(): Promise<void> }

/** The adapters that every contract suite runs against. */
const ADAPTERS: Readonly<Record<string, () => Opened>> = {
  'SQLite on a file': () => {
    const folder = temporaryFolder()
    const clock = manualClock()
    const storage = openStorage(join(folder.path, 'test.db'), { clock, create: true, migrate: true })
    return { ...storage, clock, close: () => storage.close().finally(folder.remove) }
  },
  'SQLite in memory': () => {
    const clock = manualClock()
    return { ...openStorage(':memory:', { clock }), clock }
  },
}

/** A behaviour that every storage must have, tested on an empty one of each. */
export function behaviour(sentence: string, check: (ports: Ports) => Promise<void>): void {
  for (const [adapter, open] of Object.entries(ADAPTERS))
    test(`${sentence} (${adapter})`, async () => {
      const ports = open()
      try {
        await check(ports)
      } finally {
        await ports.close()
      }
    })
}
