// Builds the console, which runs in browsers, into a folder of the programs' build: hashed names, and each file
// compressed once, as strongly as possible.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Modules that a browser does not need: the schemas of the API's description, and the numbering plans. */
const STUBS = {
  typebox: 'export default new Proxy({}, { get: () => () => ({}) })',
  plans: 'export const NUMBERING_PLANS = ""',
}

const stubbing = {
  name: 'stubs',
  setup(build) {
    build.onResolve({ filter: /^typebox$/ }, () => ({ path: 'typebox', namespace: 'stub' }))
    build.onResolve({ filter: /\/numbering-plans\.ts$/ }, () => ({ path: 'plans', namespace: 'stub' }))
    build.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({ contents: STUBS[path] }))
  },
}

const MAIN = 'adapters/console/main.tsx'

const OPTIONS = {
  entryPoints: [MAIN],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  metafile: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  legalComments: 'none',
  logLevel: 'warning',
  // The compiler's settings concern type checks, and must not affect the build.
  tsconfigRaw: {},
  plugins: [stubbing],
}

/** The scripts that a script loads before it starts, itself first. */
function scriptsOf({ outputs }, path, found = new Set()) {
  if (found.has(path)) return found
  found.add(path)
  for (const { path: needed, kind } of outputs[path].imports)
    if (kind === 'import-statement') scriptsOf({ outputs }, needed, found)
  return found
}

/** Returns the page with the names of its scripts, which a browser loads all at once, and of its style sheet. */
function pageOf(metafile) {
  const [entry, { cssBundle }] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === MAIN)
  const at = path => `/console/${basename(path)}`
  const preloads = [...scriptsOf(metafile, entry)]
    .slice(1)
    .map(path => `<link rel="modulepreload" href="${at(path)}">\n`)
  return readFileSync('adapters/console/index.html', 'utf8')
    .replace('SCRIPT', at(entry))
    .replace('STYLE', at(cssBundle))
    .replace('</head>', `${preloads.join('')}</head>`)
}

export async function buildConsole(outdir) {
  const { build } = await import('esbuild')
  const { metafile } = await build({ ...OPTIONS, outdir })
  writeFileSync(join(outdir, 'index.html'), pageOf(metafile))
  for (const name of readdirSync(outdir)) {
    const content = readFileSync(join(outdir, name))
    writeFileSync(join(outdir, `${name}.gz`), gzipSync(content, { level: 9 }))
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(join(outdir, `${name}.br`), brotliCompressSync(content, { params: quality }))
  }
}
