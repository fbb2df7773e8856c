import { measureLookups } from '../switch/lookups.ts'
import { measureReal } from '../switch/real.ts'
import { measureReconcile } from '../switch/reconcile.ts'
import { addCarrier } from '../switch/world.ts'
import type { Row } from './row.ts'

/** What a switch asks and is told. */
export const telephoneSwitch: Row = {
  name: 'switch',
  run: async bench => {
    addCarrier(bench.databases.ours)
    return [...(await measureLookups(bench)), ...(await measureReconcile(bench)), ...(await measureReal(bench))]
  },
}
