import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { insert } from '../support/data/rows.ts'

/** A process that writes one record after another and prints when each was acknowledged. */
const [path = '', count = ''] = process.argv.slice(2)
const storage = openStorage(path, { clock: systemClock(), create: true, migrate: true })
for (let n = 0; n < Number(count); n++) {
  process.stdout.write(`begun ${n}\n`)
  await insert(storage.records, 'tenants')
  process.stdout.write(`acknowledged ${n}\n`)
}
await storage.close()
