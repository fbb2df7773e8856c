import { execFile } from 'node:child_process'
import { chmodSync, createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

export interface Chromium {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

const ADVICE = 'run npm ci, or set TRUNKLINE_BROWSER to the path of a Chromium'

/** The browser in TRUNKLINE_BROWSER, or the one installed by `npm ci`. Throws if there is none. */
export async function chromiumToTest(): Promise<Chromium> {
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
  const given = process.env.TRUNKLINE_BROWSER
  if (given !== undefined) {
    if (!existsSync(given)) throw new Error(`There is no browser at ${given}: ${ADVICE}.`)
    return { executablePath: given, env }
  }
  if (process.arch !== 'x64' || process.platform !== 'linux')
    throw new Error(`No browser comes along for ${process.platform} on ${process.arch}: set TRUNKLINE_BROWSER.`)
  const folder = await unpacked()
  const libraries = [join(folder, 'lib'), env['LD_LIBRARY_PATH']].filter(path => path !== undefined)
  return { executablePath: join(folder, 'chromium'), env: { ...env, LD_LIBRARY_PATH: libraries.join(':') } }
}

function packed(): string {
  try {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
    return join(entry.slice(0, entry.lastIndexOf('@sparticuz')), '@sparticuz', 'chromium', 'bin')
  } catch (error) {
    throw new Error(`There is no browser to test the console with: ${ADVICE}.`, { cause: error })
  }
}

/** Unpacks the browser once for each clone; later callers find it unpacked. */
async function unpacked(): Promise<string> {
  const from = packed()
  const folder = join(dirname(dirname(dirname(from))), '.cache', 'trunkline-browser')
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  const binary = join(draft, 'chromium')
  await Promise.all([
    pipeline(createReadStream(join(from, 'chromium.br')), createBrotliDecompress(), createWriteStream(binary)),
    untar(join(from, 'al2023.tar.br'), draft),
    untar(join(from, 'swiftshader.tar.br'), draft),
  ])
  chmodSync(binary, 0o755)
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

async function untar(archive: string, folder: string): Promise<void> {
  const plain = join(folder, basename(archive, '.br'))
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(plain))
  await promisify(execFile)('tar', ['-x', '-C', folder, '-f', plain])
  rmSync(plain)
}
