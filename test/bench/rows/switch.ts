import { measureLookups } from '../switch/lookups.ts'
import { addCarrier } from '../switch/world.ts'
import type { Row } from './row.ts'

/** What a switch asks and is told. */
export const telephoneSwitch: Row = {
  name: 'switch',
  run: async bench => {
    addCarrier(bench.databases.ours)
    return [...(await measureLookups(bench))]
  },
}
