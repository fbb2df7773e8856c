import { megabytes } from '../../commands/service/service-commands.ts'
import type { Check } from '../check.ts'

const LARGE = 256e6

/** Checks whether the write-ahead log is checkpointed. */
export const log: Check = {
  about: 'the write-ahead log',
  async *examine(patient) {
    const { logBytes } = await (await patient.open()).maintenance.statistics()
    if (logBytes <= LARGE) return
    yield {
      kind: 'log_size',
      finding: `the write-ahead log has grown to ${megabytes(logBytes)}`,
      fix: 'systemctl restart trunklined',
    }
  },
}
