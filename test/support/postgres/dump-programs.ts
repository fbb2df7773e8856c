import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Puts stand-ins for pg_dump and pg_restore first on the path of this process and those that it starts: the programs of
 * a server's version need not be installed.
 */
export function standInDumps(folder: string): void {
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  const tsx = pathToFileURL(resolve('node_modules/tsx/dist/loader.mjs')).href
  const source = resolve('test/support/postgres/dump-program.ts')
  for (const name of ['pg_dump', 'pg_restore'])
    writeFileSync(
      join(programs, name),
      `#!/bin/sh\nexec '${process.execPath}' --import '${tsx}' '${source}' ${name} "$@"\n`,
      { mode: 0o755 },
    )
  process.env['PATH'] = `${programs}:${process.env['PATH'] ?? ''}`
}
