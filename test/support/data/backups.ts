import { join } from 'node:path'
import { after } from 'node:test'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import type { BackupPlan } from '../../../bin/daemon/backups.ts'
import { manualClock } from '../clock.ts'
import { temporaryFolder } from '../http/app.ts'
import { insert } from './rows.ts'

/** Makes databases with a tenant in them, each with a folder for its backups; they are gone when the file's tests end. */
export function backedUpDatabases(): () => Promise<BackupPlan> {
  const folder = temporaryFolder()
  after(folder.remove)
  let made = 0
  return async () => {
    const path = join(folder.path, String(++made))
    const plan = {
      db: join(path, 'trunkline.db'),
      db_password_file: null,
      backup_dir: join(path, 'backups'),
      backup_every: 24,
      backup_keep: 2,
    }
    const storage = openStorage(plan.db, { clock: manualClock(), create: true })
    await insert(storage.records, 'tenants')
    await storage.close()
    return plan
  }
}
