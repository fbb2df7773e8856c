import { QUARANTINE_ROOM } from '../../../../core/calls/quarantine.ts'
import type { Check } from '../check.ts'

/** Finds calls that are not billed until somebody acts. */
export const quarantine: Check = {
  about: 'call records in quarantine',
  async *examine(patient) {
    const { calls } = await patient.open()
    const count = await calls.quarantineCount()
    if (count === 0) return
    if (count >= QUARANTINE_ROOM)
      yield {
        kind: 'quarantine_full',
        finding: `the quarantine is full (${count} call records), and feeds that have more are stopped`,
        fix: 'trunkline cdr quarantine list',
      }
    yield {
      kind: 'quarantine',
      finding: `${count} ${count === 1 ? 'call record waits' : 'call records wait'} in quarantine`,
      fix: 'trunkline cdr quarantine list',
    }
  },
}
