import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

/** Bundles test/support/cli/import-process.ts into that folder, so that it starts as fast as the shipped program. */
export function buildImportProgram(folder: string): string {
  buildSync({
    entryPoints: { import: 'test/support/cli/import-process.ts', 'storage-thread': 'bin/storage-thread.ts' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: `import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);` },
    external: ['@node-rs/argon2'],
    outExtension: { '.js': '.mjs' },
    outdir: folder,
    logLevel: 'error',
  })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'import.mjs')
}
