import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { resources } from '../../core/resources/all.ts'
import { collectionOf } from '../../core/resources/resource.ts'
import { ndjsonRow, taken } from '../support/data/switch.ts'
import { type FakeGateway, startGateway } from '../support/messaging/gateway.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

let world: ConsoleWorld
let provider: FakeGateway
before(async () => {
  world = await startConsole()
  provider = await startGateway()
})
after(async () => {
  await provider.close()
  await world.close()
})

const fill = async (page: Page, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(values)) await page.locator(`form.record [name="${name}"]`).fill(value)
}
const save = async (page: Page, what: string): Promise<void> => {
  await page.getByRole('button', { name: `Create ${what}` }).click()
  const saved = page.getByRole('button', { name: 'Save' })
  await saved.or(page.locator('form.record .error').first()).first().waitFor()
  assert.deepEqual(await page.locator('form.record .error').allInnerTexts(), [], what)
  await saved.waitFor()
}
const follow = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('link', { name }).first().click()

test('with a browser alone, a tenant is set up, a message sent, and the cost of a call found and explained', async () => {
  const page = await world.open('/')
  await follow(page, 'New tenant')
  const zone = { name: 'Кав’ярня', slug: 'cafe', domain: 'cafe.example.com', timezone: 'Europe/Kyiv' }
  await fill(page, { ...zone, max_extensions: '20' })
  await save(page, 'tenant')
  for (let n = 101; n <= 110; n++) {
    await follow(page, 'Extensions')
    await follow(page, 'New extension')
    await page.getByRole('combobox', { name: 'Tenant' }).fill('cafe')
    await page.getByRole('option', { name: /cafe/ }).click()
    await fill(page, { extension_number: String(n), display_name: `No. ${n}` })
    await page.getByRole('button', { name: 'Make one' }).first().click()
    await save(page, 'extension')
  }
  await follow(page, 'Rates')
  await follow(page, 'New rate')
  await page.getByRole('combobox', { name: 'Tenant' }).fill('cafe')
  await page.getByRole('option', { name: /cafe/ }).click()
  await fill(page, { prefix: '49', destination: 'Germany', cost_per_minute: '0.06', billing_increment: '1' })
  await page.locator('form.record [name="status"]').fill('active')
  await save(page, 'rate')
  await follow(page, 'SMS gateways')
  await follow(page, 'New SMS gateway')
  const { host, port } = provider
  await fill(page, { name: 'Provider', server_host: host, server_port: String(port) })
  await fill(page, { provider_type: 'custom', username: 'cafe', password: 'secret' })
  await page.getByLabel('Use ssl').uncheck()
  await page.getByLabel('Is active').check()
  await save(page, 'SMS gateway')
  await page.getByText('Send a message').click()
  await page.getByLabel('To number').fill('+380501234567')
  await page.getByLabel('From sender').fill('CAFE')
  await page.getByLabel('Message', { exact: false }).first().fill('Столик о 19:30')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.way').getByText('submitted', { exact: true }).waitFor()
  const { storage } = world.service.trunkline
  await taken({ storage }, ndjsonRow({ accountcode: 'cafe', to: '+4930123456' }))
  await follow(page, 'CDRs')
  await page.locator('.row[data-id] a.main').first().click()
  await page.getByRole('cell', { name: 'holds' }).waitFor()
  await follow(page, 'Explain what it costs')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('0.0650').first().waitFor()
})

const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp\u0007"&lt;'

test('names with markup, from right to left and with escapes change nothing of any screen', async () => {
  const tenant = await world.create('tenants', { name: HOSTILE, timezone: 'UTC' })
  const gateway = await world.create('sms_gateways', { name: HOSTILE })
  const queue = await world.create('queues', { tenant_id: tenant.id, name: HOSTILE })
  await world.send('PATCH', `/api/console/records/queues/${queue.id}`, { name: `مرحبا ${HOSTILE}` })
  await world.send('POST', '/api/console/accounts', { email: 'hostile@example.com', name: HOSTILE })
  const tools = ['/', '/usage?month=2026-03', '/quote', '/rerate', '/audit', '/quarantine', '/accounts', '/sessions']
  const records = [`/tenants/${tenant.id}`, `/sms-gateways/${gateway.id}`, `/queues/${queue.id}`]
  for (const path of [...tools, ...records, ...resources.map(each => `/${collectionOf(each)}`)]) {
    const page = await world.open(path)
    await page.locator('h1').first().waitFor()
    await page.locator('.row[data-id], form.record, form.filters, .nothing, .tiles, .simple').first().waitFor()
    assert.equal(await page.locator('img').count(), 0, path)
    await page.context().close()
  }
})
