import type { BulkCounts, BulkLoad, BulkPlan } from '../../../core/ports/bulk.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { NO_COUNTS } from '../../../core/transfer/imported-resource.ts'
import type { Database } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import type { AuditTrail } from '../service/audit.ts'
import { apply, check, foreseen, lock, rejectedRows } from './outcome.ts'
import { deckReplacing } from './replace.ts'
import { rejectionsOf } from './rules.ts'
import { openStage, stage, stagedSql } from './staged.ts'

const BATCH = 2_000
/** How often an import is checked again after another writer took a key or deleted a reference. */
const ATTEMPTS = 5

/**
 * Records with a natural key. They are collected in a temporary table, so that a large or slow import locks nothing
 * until its rows are checked and moved.
 */
export function stagedLoad(database: Database, clock: Clock, trail: AuditTrail, plan: BulkPlan): BulkLoad {
  const session = database.session()
  const staged = stagedSql(plan)
  const replacing = plan.replacement ? deckReplacing(trail, staged, plan.replacement) : null
  let opened: Promise<void> | null = null
  const openOnce = (): Promise<void> => {
    opened ??= openStage(session, plan)
    return opened
  }

  const settle = async (within: Queries, approved?: BulkCounts): Promise<BulkCounts> => {
    await lock(within, staged)
    const found = await check(within, staged)
    if (found.rejected > 0 && plan.onRejection === 'store nothing')
      return { ...NO_COUNTS, rejected: await rejectedRows(within) }
    if (replacing) return replacing.store(within, clock.now(), approved)
    const counts = await apply(within, staged, found, clock.now())
    if (counts.created + counts.updated > 0)
      await trail.note(within, 'import', plan.resource.name, null, { ...plan.noted, ...counts })
    return counts
  }
  const look = async (within: Queries): Promise<BulkCounts> => {
    const found = await check(within, staged)
    if (!replacing) return foreseen(within, staged, found)
    return { ...(await replacing.foresee(within, clock.now())), rejected: await rejectedRows(within) }
  }
  return {
    batchSize: BATCH,
    add: async records => {
      await openOnce()
      for (const some of records) if (some.count > 0) await stage(session, plan, some)
    },
    check: async () => {
      await openOnce()
      return session.write(look)
    },
    store: async (_place, approved) => {
      await openOnce()
      for (let attempt = 1; ; attempt++)
        try {
          return await session.write(within => settle(within, approved))
        } catch (error) {
          if (attempt === ATTEMPTS || !isConstraint(error)) throw error
        }
    },
    rejections: () => rejectionsOf(session, plan.resource),
    close: () => session.close(),
  }
}
