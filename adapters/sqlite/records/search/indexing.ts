import { setTimeout as pause } from 'node:timers/promises'
import type { SearchIndexing } from '../../../../core/ports/upkeep.ts'
import type { Connection } from '../../database/database.ts'
import type { Writer } from '../../database/writer.ts'
import { advanceSearchIndexes, areIndexesBehind } from './search-index.ts'

const BETWEEN_STEPS_MS = 10
const BETWEEN_LOOKS_MS = 500
const AFTER_TROUBLE_MS = 10_000

/** The storage port that updates the search indexes soon after writes. */
export function searchIndexing(connection: Connection, writer: Writer): SearchIndexing {
  const step = async (): Promise<number> => {
    const advanced = areIndexesBehind(connection) && (await writer.write(() => advanceSearchIndexes(connection)))
    return advanced ? BETWEEN_STEPS_MS : BETWEEN_LOOKS_MS
  }
  return {
    followWrites: async (signal, onTrouble) => {
      while (!signal.aborted) {
        const delay = await step().catch(error => {
          onTrouble(error)
          return AFTER_TROUBLE_MS
        })
        await pause(delay, undefined, { signal, ref: false }).catch(() => undefined)
      }
    },
  }
}
