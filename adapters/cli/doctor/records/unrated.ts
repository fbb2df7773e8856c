import { counted } from '../../../../core/format-count.ts'
import type { Check } from '../check.ts'

/** Finds calls that cost nothing until somebody adds their rates. */
export const unrated: Check = {
  about: 'unrated calls',
  async *examine(patient) {
    const { calls } = await patient.open()
    const count = await calls.unratedCount()
    if (count === 0) return
    yield {
      kind: 'unrated',
      finding: `${counted(count, 'call is', 'calls are')} unrated: no rate matched, or the cost would be too large`,
      fix: 'trunkline cdr list --unrated',
    }
  },
}
