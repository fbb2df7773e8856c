import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { asteriskRow } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { databaseAt } from '../support/storages.ts'

let folder: ReturnType<typeof temporaryFolder>
before(() => {
  folder = temporaryFolder()
})
after(() => folder.remove())

it('feeds of one path are followed each by itself under names of their own', async () => {
  const path = join(folder.path, 'named.csv')
  writeFileSync(path, asteriskRow({ accountcode: 'late' }))
  const daemon = await startDaemon({
    TRUNKLINE_DB: await databaseAt(folder.path, 'named.db'),
    TRUNKLINE_FEEDS: JSON.stringify(['pbx-1', 'pbx-2'].map(name => ({ format: 'asterisk-csv', path, name }))),
  })
  try {
    for (const name of ['pbx-1', 'pbx-2']) {
      const { quarantined } = JSON.parse(await daemon.untilLogged(`"feed":"${name}"`))
      assert.equal(quarantined, 1)
    }
  } finally {
    await daemon.stop()
  }
})

it('a daemon logs how many records of a feed went to quarantine, and where to see them', async () => {
  const path = join(folder.path, 'Master.csv')
  writeFileSync(path, asteriskRow({ accountcode: 'late' }) + asteriskRow({ accountcode: 'late', id: '1.2' }))
  const daemon = await startDaemon({
    TRUNKLINE_DB: await databaseAt(folder.path, 'trunkline.db'),
    TRUNKLINE_FEEDS: JSON.stringify([{ format: 'asterisk-csv', path }]),
  })
  try {
    const { feed, quarantined } = JSON.parse(await daemon.untilLogged('cdr quarantine list'))
    assert.deepEqual({ feed, quarantined }, { feed: path, quarantined: 2 })
  } finally {
    await daemon.stop()
  }
})
