import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { furnish, type Ran, type Workplace, workplace } from '../support/cli/cli.ts'
import { longestHold } from '../support/event-loop.ts'
import type { Subject } from './kind.ts'
import { openHere } from './open-files.ts'
import { rowsIn } from './world.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const MIB = 2 ** 20
const PATIENCE_MS = 30_000

/** The exit codes that commands may end with on any input: all except that of a bug. */
const CODES = new Set([0, 1, 64, 65, 66, 67, 69, 73, 74, 75, 77, 78])

/** A database with a record of each kind, with command lines run in this process. */
export interface Here {
  readonly place: Workplace
  readonly subject: Subject
  /** Runs a command line; returns what was wrong with its end, or null. */
  run(line: string, input?: string): Promise<string | null>
}

const LATE: Ran = { code: -1, stdout: '', stderr: 'it has not ended' }

export async function startHere(): Promise<Here> {
  const place = workplace()
  await furnish(place)
  let delayMs = 0
  const ended = (line: string, input: string): Promise<Ran> =>
    new Promise(resolve => {
      const patience = setTimeout(resolve, PATIENCE_MS, LATE)
      place.run(line, { input }).then(ran => {
        clearTimeout(patience)
        resolve(ran)
      })
    })
  return {
    place,
    subject: {
      // Includes the tests' own tools.
      maxHeapMiB: 256,
      held: async () => {
        collect()
        const { heapUsed, external } = process.memoryUsage()
        const held = { delayMs, heapMiB: (heapUsed + external) / MIB, openFiles: openHere() }
        delayMs = 0
        return held
      },
      rows: () => rowsIn(place.db),
    },
    run: async (line, input = '') => {
      let ran = LATE
      const held = await longestHold(async () => {
        ran = await ended(line, input)
      })
      delayMs = Math.max(delayMs, held)
      if (CODES.has(ran.code)) return null
      return `ended with ${ran.code}\n  ${JSON.stringify(line)}\n  ${ran.stderr.slice(0, 600)}`
    },
  }
}
