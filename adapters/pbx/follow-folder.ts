import { readFile, stat } from 'node:fs/promises'
import type { SwitchRecord } from '../../core/ports/calls.ts'
import type { Course } from './follow.ts'
import { recordFiles } from './ingest.ts'
import { readRecord } from './records.ts'

/** A file that cannot be read and was changed so lately may still be written. */
const SETTLED_MS = 5_000
const AT_ONCE = 500

/** Takes in each file of a folder that a switch leaves a record a file in, and each again that has changed. */
export async function followFolder({ path, signal, store, setLag, rest }: Course): Promise<void> {
  let taken = new Map<string, number>()
  while (!signal.aborted) {
    const files = await recordFiles(path)
    const present = new Map<string, number>()
    let waiting: SwitchRecord[] = []
    let later = 0
    for (const file of files) {
      if (signal.aborted) return
      const found = await stat(file).catch(() => null)
      if (!found || found.size === 0) continue
      const isTaken = taken.get(file) === found.mtimeMs
      const text = isTaken ? null : await readFile(file, 'utf8').catch(() => null)
      const record = text === null ? null : readRecord('freeswitch-json', text)
      const isDraft = record !== null && 'reason' in record && Date.now() - found.mtimeMs < SETTLED_MS
      if (isDraft) later += found.size
      else if (isTaken || record) present.set(file, found.mtimeMs)
      if (record && !isDraft) waiting.push(record)
      if (waiting.length < AT_ONCE) continue
      await store(waiting, null)
      waiting = []
    }
    if (waiting.length > 0) await store(waiting, null)
    taken = present
    setLag(later)
    await rest()
  }
}
