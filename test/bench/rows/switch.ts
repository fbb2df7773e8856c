import { measureAsterisk } from '../switch/asterisk.ts'
import { measureLookups } from '../switch/lookups.ts'
import { measureReal } from '../switch/real.ts'
import { measureReconcile } from '../switch/reconcile.ts'
import { addCarrier } from '../switch/world.ts'
import type { Row } from './row.ts'

/** Requests of a switch and their answers. */
export const telephoneSwitch: Row = {
  name: 'switch',
  run: async bench => {
    addCarrier(bench.databases.ours)
    const lines = [...(await measureLookups(bench)), ...(await measureReconcile(bench))]
    return [...lines, ...(await measureReal(bench)), ...(await measureAsterisk(bench))]
  },
}
