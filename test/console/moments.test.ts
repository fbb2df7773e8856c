import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleWorld, startConsole } from './support/console.ts'

let world: ConsoleWorld
before(async () => {
  world = await startConsole()
})
after(() => world.close())

test("moments in a form are shown and entered by the clock of the record's tenant", async () => {
  const tenant_id = (await world.create('tenants', { timezone: 'Europe/Kyiv' })).id
  const moments = { started_at: '2026-11-10T12:00:00.250000Z', ended_at: '2026-11-10T12:01:01Z' }
  const call = await world.create('cdrs', { tenant_id, extension_id: null, ...moments })
  const page = await world.open(`/cdrs/${call.id}`)
  const started = page.getByLabel('Started at')
  const ended = page.getByLabel('Ended at')
  await page.getByText('In Europe/Kyiv, such as 2026-12-01 12:00.').first().waitFor()
  assert.deepEqual([await started.inputValue(), await ended.inputValue()], ['2026-11-10 14:00', '2026-11-10 14:01:01'])
  await ended.fill('2026-07-10 14:02')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('CDR updated').waitFor()
  const { data } = (await world.get(`/api/cdrs/${call.id}`)).json
  assert.equal(data.ended_at, '2026-07-10T11:02:00.000000Z')
  assert.equal(data.started_at, '2026-11-10T12:00:00.250000Z')
  await ended.fill('tomorrow')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The ended at field must be a valid date.').waitFor()
  await ended.fill('2026-07-10T14:02:00Z')
  await page.getByLabel('UTC').check()
  assert.equal(await ended.inputValue(), '2026-07-10 14:02')
})

test('a quote asks for the start of a call by the clock of its tenant', async () => {
  const { id } = await world.create('tenants', { timezone: 'Asia/Kolkata' })
  const page = await world.open(`/quote?tenant=${id}&number=%2B380441234567`)
  await page.getByText('In Asia/Kolkata, such as 2026-12-01 12:00. Default: now.').waitFor()
  await page.getByLabel('Start').fill('2026-12-01 05:30')
  await page.waitForURL(/at=2026-12-01T00%3A00%3A00.000000Z/)
})
