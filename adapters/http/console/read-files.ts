import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { ConsoleFile, ConsoleFiles } from './page-routes.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const PAGE = 'index.html'

/** Reads the built console from a folder; null if it was not built. */
export function readConsole(folder: string): ConsoleFiles | null {
  if (!existsSync(join(folder, PAGE))) return null
  const names = readdirSync(folder).filter(name => TYPES[extname(name)] !== undefined && name !== PAGE)
  return {
    page: fileAt(folder, PAGE),
    assets: new Map(names.map(name => [name, fileAt(folder, name)])),
  }
}

/** The build writes the compressed forms beside each file. */
function fileAt(folder: string, name: string): ConsoleFile {
  const plain = readFileSync(join(folder, name))
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
    plain,
    gzip: readFileSync(join(folder, `${name}.gz`)),
    br: readFileSync(join(folder, `${name}.br`)),
  }
}
