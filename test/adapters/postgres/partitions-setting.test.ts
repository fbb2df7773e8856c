import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../../../adapters/postgres/storage.ts'
import { unbuilt } from '../../support/cli/cli.ts'
import { manualClock } from '../../support/clock.ts'
import { startDaemon } from '../../support/daemon.ts'
import { newDatabase } from '../../support/postgres/databases.ts'
import { run } from '../../support/programs.ts'

test('a database without partitions stays so with cdr_partitions, which the daemon says, and is copied to one with them', {
  timeout: 120_000,
  skip: unbuilt,
}, async () => {
  const [plain, parted] = [await newDatabase(), await newDatabase()]
  await (await openStorage(plain, { clock: manualClock(), create: true })).close()
  const setting = { TRUNKLINE_CDR_PARTITIONS: 'month' }
  const daemon = await startDaemon({ TRUNKLINE_DB: plain, ...setting })
  const warning = JSON.parse(await daemon.untilLogged('cdr_partitions has no effect'))
  await daemon.stop()
  assert.equal(warning.command, 'trunkline db copy --to postgres://…')

  const { code, stderr } = await run(process.execPath, ['dist/bin/trunkline.js', 'db', 'copy', '--to', parted], {
    env: { TRUNKLINE_DB: plain, ...setting },
  })
  assert.equal(code, 0, stderr)
  const storage = await openStorage(parted, { clock: manualClock() })
  const months = await storage.maintenance.callMonths(manualClock().now())
  await storage.close()
  assert.notEqual(months, null)
})
