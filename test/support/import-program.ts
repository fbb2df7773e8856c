import { join } from 'node:path'
import { buildSync } from 'esbuild'

/** Bundles test/support/import-process.ts into that folder, so that it starts as fast as the program that is shipped. */
export function buildImportProgram(folder: string): string {
  const outfile = join(folder, 'import.cjs')
  buildSync({
    entryPoints: ['test/support/import-process.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['better-sqlite3', '@node-rs/argon2'],
    outfile,
    logLevel: 'error',
  })
  return outfile
}

/** What a bundle outside the project needs to find its native modules. */
export const bundleEnvironment = () => ({ ...process.env, NODE_PATH: join(process.cwd(), 'node_modules') })
