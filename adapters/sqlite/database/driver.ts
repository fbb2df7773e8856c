import { createRequire } from 'node:module'

const MAJOR = Number.parseInt(process.versions.node, 10)

/**
 * The driver in the version that this Node can run: 12 aborts on Node 24.19 and later, 13 needs Node 22. The API used
 * here is the same.
 */
export const Sqlite: typeof import('better-sqlite3') = createRequire(import.meta.url)(
  MAJOR < 22 ? 'better-sqlite3' : 'better-sqlite3-13',
)
