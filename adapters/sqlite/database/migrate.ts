import type { Database } from 'better-sqlite3'
import { AppError } from '../../../core/errors.ts'
import { sqliteMigrations } from '../../sql/migrations.ts'
import { initial } from './migrations/001-initial.ts'
import { imports } from './migrations/002-imports.ts'
import { rating } from './migrations/003-rating.ts'
import { audit } from './migrations/004-audit.ts'
import { revisions } from './migrations/005-revisions.ts'
import { listOrder } from './migrations/006-list-order.ts'
import { narrowIndex } from './migrations/007-narrow-index.ts'
import { retiredGateways } from './migrations/008-retired-gateways.ts'
import { outside } from './migrations/009-outside.ts'
import { auditNames } from './migrations/010-audit-names.ts'
import { decks } from './migrations/011-decks.ts'
import { formerDirection } from './migrations/012-former-direction.ts'
import { messageClasses } from './migrations/013-message-classes.ts'
import { security } from './migrations/014-security.ts'
import { unratedCalls } from './migrations/015-unrated-calls.ts'
import { gatewayTargets } from './migrations/016-gateway-targets.ts'
import { smsRoutes } from './migrations/017-sms-routes.ts'
import { linkedCalls } from './migrations/018-linked-calls.ts'
import { callRevisions } from './migrations/019-call-revisions.ts'
import { trunks } from './migrations/020-trunks.ts'
import { switchChanges } from './migrations/021-switch-changes.ts'
import { gatewayFailures } from './migrations/022-gateway-failures.ts'
import { accountTenants } from './migrations/023-account-tenants.ts'
import { sessionOrigins } from './migrations/024-session-origins.ts'
import { trunkSecurity } from './migrations/025-trunk-security.ts'

/**
 * In order; a database's `user_version` is the number of migrations applied to it. New ones are those of both storages,
 * in `adapters/sql`.
 */
export const migrations: readonly string[] = [
  initial,
  imports,
  rating,
  audit,
  revisions,
  listOrder,
  narrowIndex,
  retiredGateways,
  outside,
  auditNames,
  decks,
  formerDirection,
  messageClasses,
  security,
  unratedCalls,
  gatewayTargets,
  smsRoutes,
  linkedCalls,
  callRevisions,
  trunks,
  switchChanges,
  gatewayFailures,
  accountTenants,
  sessionOrigins,
  trunkSecurity,
  ...sqliteMigrations(),
]

/** "Trnk" in ASCII, in the file's header. */
export const APPLICATION_ID = 0x54726e6b

export const schemaVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }))

/** Throws `corrupt` for a file of another program. */
export function assertNotForeign(db: Database, path: string): void {
  const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID
  const isNew = schemaVersion(db) === 0 && db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (!isOurs && !isNew) throw new AppError('corrupt', `${path} is not a Trunkline database; name another file.`)
}

/** Throws `corrupt` for a file of another program, or of a newer Trunkline. */
export function assertOurs(db: Database, path: string): void {
  const version = schemaVersion(db)
  assertNotForeign(db, path)
  if (version > migrations.length)
    throw new AppError(
      'corrupt',
      `${path} was made by a newer Trunkline (schema ${version}; this one knows ${migrations.length}); install that, or restore a backup from before the upgrade.`,
    )
}

/** Upgrades the schema completely or, whatever happens meanwhile, not at all. Safe if another process does the same. */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  const all = db.transaction(() => {
    const done = schemaVersion(db)
    if (done >= steps.length) return
    for (const step of steps.slice(done)) db.exec(step)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${steps.length}`)
  })
  all.immediate()
}
