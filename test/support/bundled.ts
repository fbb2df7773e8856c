import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Puts a program of the tests, and all that is ours of what it loads, into one file; returns its path. */
export async function bundled(entry: URL): Promise<string> {
  const name = `${basename(entry.pathname, '.ts')}.mjs`
  const outfile = fileURLToPath(new URL(`../../node_modules/.cache/trunkline/${name}`, import.meta.url))
  const entryPoints = [fileURLToPath(entry)]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
  return outfile
}
