import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { systemClock } from '../../../../adapters/system/clock.ts'
import { AppError } from '../../../../core/errors.ts'
import { insert } from '../../../support/data/rows.ts'

/**
 * A process that opens the database, creating it if there is none, and creates extensions as fast as it can: this many
 * of its own for each tenant, with numbers that every such process uses. It prints each outcome. It opens at the given
 * moment, so that several processes collide.
 */
const [path = '', tenants = '', attempts = '', openAt = '0'] = process.argv.slice(2)
while (Date.now() < Number(openAt)) await new Promise(resolve => setImmediate(resolve))
console.log('opening')
const storage = openStorage(path, { clock: systemClock(), create: true, migrate: true })
console.log('open')

const outcomes = tenants
  .split(',')
  .filter(Boolean)
  .flatMap(tenant =>
    Array.from({ length: Number(attempts) }, async (_, n) => {
      try {
        await insert(storage.records, 'extensions', { tenant_id: Number(tenant), extension_number: String(n) })
        return 'created'
      } catch (error) {
        if (!(error instanceof AppError)) return String(error)
        return `${error.code}: ${error.details.errors?.map(({ field }) => field).join()}`
      }
    }),
  )
for (const outcome of await Promise.all(outcomes)) console.log(outcome)
await storage.close()
