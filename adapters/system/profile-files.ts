import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ProfileFile } from '../../core/sms/profiles/collection.ts'

/** A profile is a few KiB. */
const MOST_BYTES = 256 * 1024

/** Returns the operator's own profiles: the JSON files of a folder, by name; none if there is no folder. */
export function profileFiles(folder: string): readonly ProfileFile[] {
  return namesIn(folder)
    .filter(name => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map(name => {
      const file = join(folder, name)
      return { file, text: textOf(file) }
    })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string | null {
  try {
    const { size } = statSync(file)
    return size <= MOST_BYTES ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
