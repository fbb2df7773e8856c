import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../support/http/app.ts'
import { accessibilityProblems, type ConsoleWorld, signIn, startConsole } from './support/console.ts'

const HEADER = 'Code;Where;Price;Note'
const HOSTILE = '<img src=x onerror=alert(1)> \u202eКиїв مدينة'
const rows = (count: number, from = 300): string =>
  Array.from({ length: count }, (_, i) => `${from + i};${HOSTILE};0,0123;12345678901234567890\n`).join('')

const folder = temporaryFolder()
let world: ConsoleWorld
let tenant: number
before(async () => {
  world = await startConsole({ db: join(folder.path, 'console.db') })
  await world.service.trunkline.tools.jobs.look()
  tenant = (await world.create('tenants', { slug: 'київ', name: 'Телефон مدينة' })).id
})
after(async () => {
  await world.close()
  folder.remove()
})

const file = (text: string | Buffer, name = 'deck.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
const choose = (page: Page, text: string | Buffer, name?: string) =>
  page.getByLabel('File: CSV, NDJSON or JSON').setInputFiles(file(text, name))
const ready = (page: Page) =>
  page.getByRole('button', { name: 'Check all rows' }).and(page.locator(':enabled')).waitFor()
const mapped = async (page: Page): Promise<void> => {
  for (const [column, field] of [
    ['Code', 'prefix'],
    ['Where', 'destination'],
    ['Price', 'cost_per_minute'],
    ['Note', ''],
  ] as const)
    await page.getByLabel(`Field of ${column}`).selectOption(field)
  await page.getByLabel('Billing increment').fill('60')
  await page.getByLabel('Status').fill('active')
  await page.getByLabel('Status').blur()
  await page.getByLabel('Decimal comma').check()
}
const stored = async (id = tenant): Promise<number> =>
  (await world.get(`/api/console/records/rates/count?tenant=${id}`)).json.data.count

test('a deck is chosen, mapped, checked, imported, and found again, by what the address says', async () => {
  const page = await world.open(`/import?into=rates&tenant=${tenant}`)
  await choose(page, `${HEADER}\n${rows(300)}300;;1;\n`)
  await mapped(page)
  await ready(page)
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('301 rows: 0 would be created, 1 rejected').waitFor()
  await page.getByRole('cell', { name: /destination field is required/ }).waitFor()
  const errors = page.getByRole('region', { name: 'Errors' })
  assert.equal(await errors.getByRole('cell', { name: '302', exact: true }).count(), 1)
  assert.equal(await stored(), 0)
  await page.reload()
  await page.getByText('Choose deck.csv again to go on').waitFor()
  await choose(page, `${HEADER}\n${rows(300)}300;;1;\n`)
  assert.equal(await page.getByLabel('Field of Code').inputValue(), 'prefix')
  await page.getByLabel('Rows with errors').selectOption('continue')
  await ready(page)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('300 created').first().waitFor()
  assert.match(page.url(), /\/jobs\?job=\d+$/)
  assert.equal(await stored(), 300)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the rejected rows' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'rejected-deck.csv')
  assert.equal(await page.locator('img').count(), 0)
})

test('rows that are accepted with a warning are shown with their lines', async () => {
  const { id } = await world.create('tenants')
  const page = await world.open(`/import?into=rates&tenant=${id}`)
  await choose(page, `${HEADER}\n${rows(2)}38050-38059;Mobile;0,02;\n`)
  await mapped(page)
  await ready(page)
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('3 rows: 3 would be created, 1 with a warning').waitFor()
  const warnings = page.getByRole('region', { name: 'Warnings' })
  await warnings.getByRole('cell', { name: /a range must be written out/ }).waitFor()
  assert.equal(await warnings.getByRole('cell', { name: '4', exact: true }).count(), 1)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.waitForURL(/\/jobs\?job=/)
  await warnings.getByRole('cell', { name: /a range must be written out/ }).waitFor()
})

test('a deck is replaced only after a check, as it was checked', async () => {
  const page = await world.open(`/import?into=rates&tenant=${tenant}&mode=replace`)
  await choose(page, `${HEADER}\n${rows(10)}`)
  await mapped(page)
  await ready(page)
  const replace = page.getByRole('button', { name: 'Replace the rates' })
  assert.equal(await replace.isDisabled(), true)
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('290 would be removed').waitFor()
  await replace.click()
  await page.getByText('290 removed').first().waitFor()
  assert.equal(await stored(), 10)
})

test('an upload continues after the connection was lost, and after the session has ended', async () => {
  const page = await world.open(`/import?into=rates&tenant=${tenant}`)
  let parts = 0
  await page.route('**/api/console/uploads/*', async route => {
    if (route.request().method() !== 'PATCH' || ++parts !== 2) return route.continue()
    await page.context().clearCookies()
    return route.abort('connectionreset')
  })
  await choose(page, `${HEADER}\n${rows(40_000)}`)
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await signIn(page)
  await mapped(page)
  await ready(page)
  assert.ok(parts > 2)
  await page.getByLabel('Records that exist').selectOption('skip')
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('40,000 rows: ').waitFor()
})

test('a file that is not UTF-8, or too large, is refused with the reason', async () => {
  const page = await world.open(`/import?into=rates&tenant=${tenant}`)
  await choose(page, Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le'))
  await page.getByText('The file is UTF-16, not UTF-8').waitFor()
  await choose(page, Buffer.from([0x50, 0x4b, 3, 4]), 'deck.xlsx')
  await page.getByText('The file is a workbook').waitFor()
  await page.route('**/api/console/uploads', route =>
    route.fulfill({ status: 413, json: { message: 'The file is larger than 1024 MiB.' } }),
  )
  await choose(page, HEADER, 'large.csv')
  await page.getByText('The file is larger than 1024 MiB').waitFor()
})

test('a list is exported as it is filtered, and downloaded', async () => {
  const page = await world.open(`/rates?filter[tenant_id]=${tenant}`)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download', exact: true }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'rates.csv')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.goto(`${world.service.url}/jobs`)
  await page.getByRole('link', { name: 'Export of rates' }).first().waitFor()
})

test('a job is stopped, resumed and deleted from its page, by keyboard alone', async () => {
  const calls = 'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at\n'
  const line = 'caller,2,outbound,BUSY,0,0,0,2026-01-01T00:00:00Z\n'
  const page = await world.open(`/import?into=cdrs&tenant=${tenant}`)
  await choose(page, calls + line.repeat(120_000), 'calls.csv')
  await ready(page)
  await page.getByRole('button', { name: 'Import', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Stop' }).press('Enter')
  await page.getByRole('button', { name: 'Go on where it stopped' }).press('Enter')
  await page.getByText('120,000 created').first().waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Delete the job and its files' }).press('Enter')
  await page.getByText('Job deleted.').waitFor()
})

describe('every screen of imports and exports', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      test(`is accessible, ${colorScheme}, ${width} pixels wide`, async () => {
        const page = await world.open(`/import?into=rates&tenant=${tenant}`, { colorScheme, width })
        await choose(page, `${HEADER}\n${rows(20)}`)
        await page.getByLabel('Field of Code').waitFor()
        await look(page, `import-${colorScheme}-${width}`)
        assert.deepEqual(await accessibilityProblems(page), [])
        await mapped(page)
        await ready(page)
        await page.getByRole('button', { name: 'Check all rows' }).click()
        await page.getByText('20 rows: ').waitFor()
        await look(page, `checked-${colorScheme}-${width}`)
        assert.deepEqual(await accessibilityProblems(page), [])
        await page.goto(`${world.service.url}/jobs?job=1`)
        await page.getByRole('heading', { name: 'Imports and exports' }).waitFor()
        await page.getByRole('table').first().waitFor()
        await look(page, `jobs-${colorScheme}-${width}`)
        assert.deepEqual(await accessibilityProblems(page), [])
        await page.goto(`${world.service.url}/extensions`)
        await page.getByRole('button', { name: 'Export', exact: true }).click()
        await page.getByRole('dialog').waitFor()
        await look(page, `export-${colorScheme}-${width}`)
        assert.deepEqual(await accessibilityProblems(page), [])
      })
})

const look = async (page: Page, name: string): Promise<void> => {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true })
}
