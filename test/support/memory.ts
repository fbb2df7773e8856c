import { readFileSync } from 'node:fs'

/** MiB of memory that a process holds now; null where the system does not say. */
export function residentMiB(pid: number | undefined): number | null {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return null
  }
}
