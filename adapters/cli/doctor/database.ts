import { megabytes } from '../service-commands.ts'
import type { Check } from './check.ts'

const LARGE_LOG = 256e6

/** Is what the database holds whole? */
export const database: Check = {
  about: 'every page, key and reference of the database',
  async *examine(patient) {
    const { maintenance } = await patient.open()
    for (const finding of await maintenance.check())
      yield { kind: 'damage', finding, mend: 'trunkline db restore BACKUP' }
    const { logBytes } = await maintenance.statistics()
    if (logBytes > LARGE_LOG)
      yield {
        kind: 'log_size',
        finding: `the write-ahead log has grown to ${megabytes(logBytes)}`,
        mend: 'systemctl restart trunklined',
      }
  },
}
