import { readdirSync } from 'node:fs'

/** How many files a process has open; null where the system does not say. */
export function openFilesOf(pid: number | undefined): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return null
  }
}
