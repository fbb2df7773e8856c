import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { resources } from '../../core/resources/all.ts'
import { collectionOf } from '../../core/resources/resource.ts'
import { ndjsonRow, taken } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { type FakeGateway, startGateway } from '../support/messaging/gateway.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

const folder = temporaryFolder()
let world: ConsoleWorld
let provider: FakeGateway
before(async () => {
  world = await startConsole({ db: join(folder.path, 'console.db') })
  await world.service.trunkline.tools.jobs.look()
  provider = await startGateway()
})
after(async () => {
  await provider.close()
  await world.close()
  folder.remove()
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
const pickTenant = async (page: Page): Promise<void> => {
  await page.getByRole('combobox', { name: 'Tenant' }).fill('cafe')
  await page.getByRole('option', { name: /cafe/ }).click()
}
const follow = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('link', { name }).first().click()

/** Brings a carrier's deck in, whose columns have names of their own. */
async function importDeck(page: Page): Promise<void> {
  await follow(page, 'Rates')
  await page.locator('header.title').getByRole('link', { name: 'Import' }).click()
  await pickTenant(page)
  const deck = 'Code;Where;Price;Interval\n49;Germany;0,06;1\n380;Україна;0,0123;60\n'
  await page
    .getByLabel('File: CSV, NDJSON or JSON')
    .setInputFiles({ name: 'deck.csv', mimeType: 'text/csv', buffer: Buffer.from(deck) })
  const columns = { Code: 'prefix', Where: 'destination', Price: 'cost_per_minute', Interval: 'billing_increment' }
  for (const [column, field] of Object.entries(columns)) await page.getByLabel(`Field of ${column}`).selectOption(field)
  await page.getByLabel('Status').fill('active')
  await page.getByLabel('Decimal comma').check()
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('2 rows: 2 would be created').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 rows: 2 created').first().waitFor()
}

/** Returns the numbers called in an export of a month's calls. */
async function exportCalls(page: Page, from: Date, before: Date): Promise<string[]> {
  await follow(page, 'CDRs')
  await page.getByLabel('From', { exact: true }).fill(from.toISOString().slice(0, 10))
  await page.getByLabel('Before', { exact: true }).fill(before.toISOString().slice(0, 10))
  await page.waitForURL(/from=.*to=/)
  await page.getByText('1 CDR.').waitFor()
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download', exact: true }).click(),
  ])
  const [header = '', ...rows] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split(/\r?\n/)
  const at = header.split(',').indexOf('destination_number')
  return rows.map(row => row.split(',')[at] ?? '')
}

const monthFromNow = (months: number): Date => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
}
const noonOf = (day: Date): string => `${day.toISOString().slice(0, 10)} 12:00:00`

test('with a browser alone, a tenant is set up, a message sent, a cost explained, and last month exported', async () => {
  const page = await world.open('/')
  await follow(page, 'New tenant')
  const zone = { name: 'Кав’ярня', slug: 'cafe', domain: 'cafe.example.com', timezone: 'Europe/Kyiv' }
  await fill(page, { ...zone, max_extensions: '20' })
  await save(page, 'tenant')
  for (let n = 101; n <= 110; n++) {
    await follow(page, 'Extensions')
    await follow(page, 'New extension')
    await pickTenant(page)
    await fill(page, { extension_number: String(n), display_name: `No. ${n}` })
    await page.getByRole('button', { name: 'Make one' }).first().click()
    await save(page, 'extension')
  }
  await importDeck(page)
  await follow(page, 'SMS gateways')
  await follow(page, 'New SMS gateway')
  const { host, port } = provider
  await fill(page, { name: 'Provider', server_host: host, server_port: String(port) })
  await fill(page, { provider_type: 'custom', username: 'cafe', password: 'secret' })
  await page.getByLabel('Use SSL').uncheck()
  await page.getByLabel('Is active').check()
  await save(page, 'SMS gateway')
  await page.getByText('Send a message').click()
  await page.getByLabel('To number').fill('+380501234567')
  await page.getByLabel('From sender').fill('CAFE')
  await page.getByLabel('Message', { exact: false }).first().fill('Столик о 19:30')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.way').getByText('submitted', { exact: true }).waitFor()
  const { storage } = world.service.trunkline
  const [lastMonth, thisMonth] = [monthFromNow(-1), monthFromNow(0)]
  const calls = [
    { id: '1', to: '+4930123456', start: noonOf(lastMonth) },
    { id: '2', to: '+380441234567', start: noonOf(thisMonth) },
  ]
  for (const call of calls) await taken({ storage }, ndjsonRow({ accountcode: 'cafe', ...call }))
  await follow(page, 'CDRs')
  await page.locator('.row[data-id]', { hasText: '4930123456' }).locator('a.main').click()
  await page.getByRole('cell', { name: 'holds' }).waitFor()
  await follow(page, 'Explain what it costs')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('0.0650').first().waitFor()
  assert.deepEqual(await exportCalls(page, lastMonth, thisMonth), ['+4930123456'])
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
