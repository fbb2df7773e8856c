import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * The storage that tests run on: SQLite without this variable, PostgreSQL if it is `postgres`, a Citus cluster if it is
 * `citus`, and the files below on SQLite and PostgreSQL if it is `both`, as in a run of all tests.
 */
export const STORAGE = 'TRUNKLINE_TEST_STORAGE'

/** The test files that run on both storages, by parts of their paths. */
const ON_BOTH = [
  'adapters/cli/commands/calls/',
  'adapters/cli/commands/completion',
  'adapters/cli/commands/declared',
  'adapters/cli/commands/delete-command',
  'adapters/cli/commands/rating/',
  'adapters/cli/commands/resource-commands',
  'adapters/cli/commands/resource-creation',
  'adapters/cli/commands/service/account-commands',
  'adapters/cli/commands/service/audit-commands',
  'adapters/cli/commands/sms/',
  'adapters/cli/commands/switching/',
  'adapters/cli/commands/transfer-commands',
  'adapters/cli/doctor/doctor',
  'adapters/cli/examples',
  'adapters/cli/exit',
  'adapters/cli/fields',
  'adapters/cli/hints',
  'adapters/cli/hostile',
  'adapters/cli/naming/',
  'adapters/cli/period',
  'adapters/cli/processes',
  'adapters/cli/quiet',
  'adapters/cli/secrets',
  'adapters/cli/security-trail',
  'adapters/cli/selection',
  'adapters/cli/switching/',
  'adapters/cli/terminal/columns',
  'adapters/cli/terminal/shown',
  'adapters/cli/terminal/terminal',
  'adapters/cli/transfer/',
  'adapters/cli/unreadable-values',
  'adapters/cli/written',
  'adapters/freeswitch/records',
  'adapters/http/access/',
  'adapters/http/audit',
  'adapters/http/compression',
  'adapters/http/console/accounts',
  'adapters/http/console/exports',
  'adapters/http/console/forgetting',
  'adapters/http/console/imports',
  'adapters/http/console/records',
  'adapters/http/console/tools',
  'adapters/http/console/uploads',
  'adapters/http/deletion',
  'adapters/http/docs/openapi',
  'adapters/http/interrupted',
  'adapters/http/lists',
  'adapters/http/logging/',
  'adapters/http/messaging/',
  'adapters/http/relations',
  'adapters/http/requests',
  'adapters/http/resources',
  'adapters/http/server',
  'adapters/http/sessions/',
  'adapters/http/streaming',
  'adapters/http/validation',
  'adapters/http/values',
  'adapters/pbx/asterisk-attempts',
  'adapters/pbx/follow',
  'adapters/pbx/ingest',
  'adapters/pbx/rotation',
  'bin/background',
  'bin/feeds',
  'bin/lookups',
  'bin/suspects',
  'bin/unread-log',
  'core/use-cases/jobs/limits',
  'e2e/service',
  'operations/first-account',
  'operations/readiness',
  'operations/security-log',
  'operations/storage/decks',
  'operations/storage/forgetting',
  'operations/storage/removals',
  'storages/',
]

export const runsOnBoth = (path: string): boolean => ON_BOTH.some(part => path.startsWith(`test/${part}`))

/** Those of calls on a cluster, which cannot run without one, and all that run on either storage. */
export const runsOnCitus = (path: string): boolean =>
  path.startsWith('test/citus/') || (path.endsWith('.test.ts') && runsOnBoth(path))

/** Writes a program beside a compiled test file that runs it on PostgreSQL; returns its path. */
export function onPostgresToo(file: string): string {
  const path = join(dirname(file), `postgres.${basename(file)}`)
  writeFileSync(path, `process.env['${STORAGE}'] = 'postgres'\nawait import('./${basename(file)}')\n`)
  return path
}
