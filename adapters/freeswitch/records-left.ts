import { readdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const BETWEEN_LOOKS_MS = 20

/** Returns the names of the records that mod_json_cdr has left in the folder; null if it cannot be read. */
export const recordsIn = (folder: string): Promise<string[] | null> =>
  readdir(folder).then(
    names => names.filter(name => name.endsWith('.json')),
    () => null,
  )

/** Resolves once the records that are in the folder now have been stored and removed, or the signal aborts. */
export async function recordsTaken(folder: string, signal: AbortSignal): Promise<void> {
  for (let left = (await recordsIn(folder)) ?? []; left.length > 0 && !signal.aborted; ) {
    await pause(BETWEEN_LOOKS_MS, undefined, { signal }).catch(() => undefined)
    const present = new Set(await recordsIn(folder))
    left = left.filter(name => present.has(name))
  }
}
