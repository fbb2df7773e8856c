// Builds the console, which runs in browsers, into a folder of the programs' build: hashed names, and each file
// compressed once, as strongly as it gets.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** What a browser needs none of: the schemas of the API's description, and the plans that numbers are read by. */
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
  // The settings of the compiler say how types are checked; nothing of them decides what is built.
  tsconfigRaw: {},
  plugins: [stubbing],
}

/** The scripts that one loads before it begins, itself first. */
function scriptsOf({ outputs }, path, found = new Set()) {
  if (found.has(path)) return found
  found.add(path)
  for (const { path: needed, kind } of outputs[path].imports)
    if (kind === 'import-statement') scriptsOf({ outputs }, needed, found)
  return found
}

/** The page, with the names of its scripts, which a browser loads all at once, and of the style sheet. */
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
