import { readFileSync } from 'node:fs'

/** MiB of memory that a process uses; null if the system does not report it. */
export function residentMiB(pid: number | undefined): number | null {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return null
  }
}
