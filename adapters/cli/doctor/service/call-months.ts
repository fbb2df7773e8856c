import { isServerAddress } from '../../../../core/database-address.ts'
import type { CallMonths } from '../../../../core/ports/system.ts'
import type { Check, Finding, Patient } from '../check.ts'

/** Finds calls that are not in a partition of their month, and months that will lack one. */
export const callMonths: Check = {
  about: 'the partitions of call records',
  async *examine(patient) {
    const { maintenance, clock } = await patient.open()
    const months = await maintenance.callMonths(clock.now())
    yield* months ? findingsIn(months) : withoutMonths(patient)
  },
}

export function* withoutMonths({ settings, path }: Pick<Patient, 'settings' | 'path'>): Iterable<Finding> {
  if (settings['cdr_partitions'] === 'month' && isServerAddress(path))
    yield {
      kind: 'not_partitioned',
      finding: 'cdr_partitions has no effect, since the database was created without partitions',
      fix: 'trunkline db copy --to postgres://…',
    }
}

export function* findingsIn({ missing, unprepared }: CallMonths): Iterable<Finding> {
  if (missing.length > 0)
    yield {
      kind: 'partition_missing',
      finding: `there is no partition for the calls of ${missing.join(', ')}; a running daemon makes it within the hour`,
      fix: 'trunkline serve',
    }
  const count = unprepared.reduce((sum, month) => sum + month.count, 0)
  const [first, last] = [unprepared[0]?.month, unprepared.at(-1)?.month]
  if (count > 0)
    yield {
      kind: 'default_partition',
      finding: `the default partition holds ${count} ${count === 1 ? 'call' : 'calls'} of ${first === last ? first : `${first} to ${last}`}; a running daemon moves those of the last ten years within the hour`,
      fix: `trunkline cdr list --month ${first}`,
    }
}
