import { readdirSync, readlinkSync } from 'node:fs'

/** How many files a process has open, including connections; null if the system does not report it. */
export const openFilesOf = (pid: number | undefined): number | null => namesOf(pid)?.length ?? null

/** The same for this process, without its connections. */
export const openHere = (): number | null =>
  namesOf(process.pid)?.filter(name => !name.startsWith('socket:')).length ?? null

function namesOf(pid: number | undefined): string[] | null {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap(name => nameAt(`${folder}/${name}`))
  } catch {
    return null
  }
}

/** None for a file closed meanwhile. */
function nameAt(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}
