import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

/** Libraries of very many files, which load faster as one file. Others are loaded as installed. */
const TAKEN_IN = ['typebox', 'fast-check']
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Inside the project, so that its libraries are found from there. */
const CACHE = join(ROOT, 'node_modules/.cache/trunkline')

const libraries: Plugin = {
  name: 'libraries',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      const isTakenIn = importer.includes('node_modules') || TAKEN_IN.includes(path.split('/')[0] ?? '')
      return isTakenIn ? undefined : { external: true }
    }),
}

/** Tests find neighbouring files by `import.meta.url`: it remains the address of the source. */
const addresses: Plugin = {
  name: 'addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!/^(test|config)\b/.test(relative(ROOT, path))) return undefined
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' }
    }),
}

const OPTIONS: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [libraries, addresses],
  logLevel: 'warning',
}

/** Bundles a test program with our modules that it loads into one file; returns its path. */
export async function bundled(entry: URL): Promise<string> {
  const outfile = join(CACHE, `${basename(entry.pathname, '.ts')}.mjs`)
  await build({ ...OPTIONS, entryPoints: [fileURLToPath(entry)], outfile })
  return outfile
}

/**
 * Compiles test files, given by their paths within the project, into a separate folder, with our modules that they
 * load. They start in a fraction of the time that they take as TypeScript.
 */
export async function bundledTests(
  paths: readonly string[],
): Promise<{ fileOf(path: string): string; remove(): void }> {
  mkdirSync(CACHE, { recursive: true })
  const outdir = mkdtempSync(join(CACHE, 'tests-'))
  const remove = (): void => rmSync(outdir, { recursive: true, force: true })
  // All side by side, since the programs look there for their threads.
  const nameOf = (path: string): string => path.replace(/\.ts$/, '').replaceAll('/', '.')
  const tests = paths.map(path => ({ in: path, out: nameOf(path) }))
  const threads = ['storage-thread', 'lookup-thread'].map(name => ({ in: `bin/${name}.ts`, out: name }))
  const entryPoints = [...threads, ...tests]
  const sources = { sourcemap: true, sourcesContent: false } as const
  try {
    await build({ ...OPTIONS, ...sources, absWorkingDir: ROOT, entryPoints, outdir, splitting: true })
  } catch (error) {
    remove()
    throw error
  }
  return { fileOf: path => join(outdir, `${nameOf(path)}.js`), remove }
}
