import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleWorld, startConsole } from './support/console.ts'

const around: { feeds: { name: string; lag: number }[]; phones: number | null; backup: string | null } = {
  ...{ feeds: [], phones: null, backup: null },
}
let world: ConsoleWorld
before(async () => {
  world = await startConsole(undefined, {
    surroundings: {
      feeds: () => around.feeds,
      phones: async () => around.phones,
      newestBackup: () => around.backup,
    },
  })
})
after(() => world.close())

test('the dashboard shows feeds, telephones and the newest backup, once there are any', async () => {
  const page = await world.open('/')
  const tile = (title: string) => page.locator('.tile', { hasText: title })
  await tile('Newest backup').getByText('None', { exact: true }).waitFor()
  await tile('Newest backup').getByText('The setting backup_every makes them.').waitFor()
  assert.deepEqual([await tile('Waiting in').count(), await tile('Telephones').count()], [0, 0])
  around.feeds = [{ name: '/var/log/asterisk/cdr-csv/Master.csv', lag: 2_345_678 }]
  around.phones = 1_234
  around.backup = '2026-11-20T22:30:00.000000Z'
  await page.getByLabel('UTC').check()
  await tile('Waiting in Master.csv').getByText('2.3 MB').waitFor()
  await tile('Telephones registered').getByText('1,234').waitFor()
  await tile('Newest backup').getByText('2026-11-20 22:30').waitFor()
  assert.equal(
    await tile('Waiting in').getAttribute('href'),
    '/quarantine?feed=%2Fvar%2Flog%2Fasterisk%2Fcdr-csv%2FMaster.csv',
  )
})

test('the dashboard asks for all figures at once', async () => {
  const page = await world.open('/quote')
  await page.getByRole('button', { name: 'Explain' }).waitFor()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.locator('.tiles').waitFor()
  assert.deepEqual(asked, ['/api/console/pulse'])
})
