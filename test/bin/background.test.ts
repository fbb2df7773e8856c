import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { compose } from '../../bin/compose.ts'
import { startBackground } from '../../bin/daemon/background.ts'
import { loadSettings } from '../../config/load.ts'
import { insert } from '../support/data/rows.ts'
import { ndjsonRow, until } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { databaseAt } from '../support/storages.ts'

const { path: folder, remove } = temporaryFolder()
after(remove)

test('as many feeds as the settings allow are followed without a warning', { timeout: 60_000 }, async () => {
  const warnings: Error[] = []
  const note = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', note)
  const feeds = Array.from({ length: 100 }, (_, n) => ({
    ...{ format: 'ndjson' as const, path: join(folder, `${n}.ndjson`), every: 0.05 },
  }))
  const { settings } = loadSettings({ flags: {}, environment: {}, file: undefined })
  const complete = { ...settings, db: await databaseAt(folder, 'trunkline.db'), feeds }
  const trunkline = await compose(complete, () => '', { create: true, migrate: true })
  await insert(trunkline.storage.records, 'tenants', { slug: 'acme' })
  const background = startBackground({ trunkline, securityFrom: 0, served: [] }, complete, pino({ level: 'silent' }))
  for (const turn of [1, 2]) {
    for (const [n, { path }] of feeds.entries()) appendFileSync(path, ndjsonRow({ id: `${n}/${turn}` }))
    await until('every call is stored', () => background.feeds.every(feed => feed.state().counts.stored === turn))
  }
  await background.stop()
  await trunkline.close()
  process.off('warning', note)
  assert.deepEqual(warnings, [])
})
