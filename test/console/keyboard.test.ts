import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FileChooser, Locator, Page } from 'playwright-core'
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

const MOST_TABS = 80

/** Presses Tab until the element has the focus, which must be visible. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor()
  for (let n = 0; n < MOST_TABS; n++) {
    if (await wanted.evaluate(element => element.ownerDocument.activeElement === element)) {
      const outline = await wanted.evaluate(
        element => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle,
      )
      assert.notEqual(outline, 'none', `the focus of ${wanted} is not visible`)
      return
    }
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not lead to ${wanted}`)
}

async function type(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await tabTo(page, page.locator(`form.record [name="${name}"]`))
    await page.keyboard.press('Control+a')
    await page.keyboard.type(value)
  }
}

async function press(page: Page, wanted: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, wanted)
  await page.keyboard.press(key)
}

async function keys(page: Page, ...pressed: readonly string[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key)
}

/** Types into a picker of tenants, and takes what is found with Enter. */
async function pick(page: Page, slug: string): Promise<void> {
  const tenant = page.getByRole('combobox', { name: 'Tenant' })
  await tabTo(page, tenant)
  await page.keyboard.press('Control+a')
  const answered = page.waitForResponse(`**/records/tenants?*search=${slug}`)
  await page.keyboard.type(slug)
  await page.keyboard.press('Enter')
  await (await answered).finished()
  await page.evaluate('new Promise(requestAnimationFrame)')
  assert.match(await tenant.inputValue(), new RegExp(`^${slug} `))
}

/** Opens the window that chooses a file; on a slow machine, the browser may ignore the first Enter. */
async function chooserOf(page: Page, file: Locator): Promise<FileChooser> {
  for (let tries = 0; tries < 5; tries++) {
    const opened = page.waitForEvent('filechooser', { timeout: 5_000 }).catch(() => null)
    await press(page, file)
    const chooser = await opened
    if (chooser) return chooser
  }
  return assert.fail('Enter opens no window to choose a file')
}

async function save(page: Page): Promise<void> {
  await keys(page, 'Control+s')
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
}

test('the keyboard alone sets up a tenant, sends a message, explains a cost and exports calls', async () => {
  const page = await world.open('/')
  await page.locator('h1').waitFor()
  await keys(page, 'g', 't')
  await page.getByRole('heading', { name: 'Tenants' }).waitFor()
  await keys(page, 'n')
  const zone = { name: 'Café', slug: 'cafe', domain: 'cafe.example.com', timezone: 'Europe/Kyiv', max_extensions: '20' }
  await type(page, zone)
  await save(page)
  await keys(page, 'g', 'e')
  await page.getByRole('heading', { name: 'Extensions' }).waitFor()
  await keys(page, 'n')
  await pick(page, 'cafe')
  await type(page, { extension_number: '101', display_name: 'Front desk' })
  await press(page, page.getByRole('button', { name: 'Make one' }))
  await save(page)

  await keys(page, 'g', 'r')
  await page.getByRole('heading', { name: 'Rates' }).waitFor()
  await press(page, page.getByRole('link', { name: 'Import' }).last())
  await pick(page, 'cafe')
  const deck = Buffer.from('prefix,destination,cost_per_minute,billing_increment,status\n49,Germany,0.06,1,active\n')
  const chooser = await chooserOf(page, page.getByLabel('File: CSV, NDJSON or JSON'))
  await chooser.setFiles({ name: 'deck.csv', mimeType: 'text/csv', buffer: deck })
  await press(page, page.getByRole('button', { name: 'Check all rows' }))
  await page.getByText(/1 rows?: 1 would be created/).waitFor()
  await press(page, page.getByRole('button', { name: 'Import', exact: true }))
  await page
    .getByText(/1 rows?: 1 created/)
    .first()
    .waitFor()

  await keys(page, 'g', 'g')
  await page.getByRole('heading', { name: 'SMS gateways' }).waitFor()
  await keys(page, 'n')
  const { host, port } = provider
  await type(page, { name: 'Provider', provider_type: 'custom', server_host: host, server_port: String(port) })
  await type(page, { username: 'cafe', password: 'secret' })
  if (await page.getByLabel('Use SSL').isChecked()) await press(page, page.getByLabel('Use SSL'), 'Space')
  await save(page)
  await press(page, page.getByText('Send a message'))
  await tabTo(page, page.getByLabel('To number'))
  await page.keyboard.type('+380501234567')
  await tabTo(page, page.getByLabel('From sender'))
  await page.keyboard.type('CAFE')
  await tabTo(page, page.getByLabel('Message', { exact: false }).first())
  await page.keyboard.type('Table at 19:30')
  await press(page, page.getByRole('button', { name: 'Send', exact: true }))
  await page.locator('.way').getByText('submitted', { exact: true }).waitFor()

  const { storage } = world.service.trunkline
  await taken({ storage }, ndjsonRow({ accountcode: 'cafe', id: '1', to: '+4930123456' }))
  await keys(page, 'g', 'c')
  await page.locator('.row[data-id]', { hasText: '4930123456' }).waitFor()
  await keys(page, 'j', 'Enter')
  await press(page, page.getByRole('link', { name: 'Explain what it costs' }))
  await press(page, page.getByRole('button', { name: 'Explain' }))
  await page.getByText('Germany').first().waitFor()

  await keys(page, 'g', 'c')
  await press(page, page.getByRole('button', { name: 'Export', exact: true }))
  const dialog = page.getByRole('dialog')
  await press(page, dialog.getByRole('button', { name: 'Export', exact: true }))
  await tabTo(page, dialog.getByRole('link', { name: 'Download', exact: true }))
  await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  await keys(page, 'Escape')
  await dialog.waitFor({ state: 'detached' })
  const focused = page.locator(':focus')
  assert.equal(await focused.innerText(), 'Export', 'the focus is where the dialog was opened')
})

test('Enter right after typing picks what was typed, not what the list showed before', async () => {
  for (const slug of ['first', 'second']) await world.create('tenants', { slug })
  const page = await world.open('/extensions/new')
  await page.getByRole('combobox', { name: 'Tenant' }).focus()
  await page.getByRole('option').first().waitFor()
  for (const slug of ['first', 'second']) await pick(page, slug)
  assert.equal(await page.locator('.error').count(), 0)
})

test('Ctrl+S in a dialog does not save the form behind it', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const page = await world.open(`/queues/${id}`)
  await page.getByLabel('Name', { exact: false }).first().fill('Sales')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  const sent: string[] = []
  page.on('request', request => sent.push(request.method()))
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(sent.includes('PATCH'), false)
  assert.equal(await page.locator(':focus').innerText(), 'Delete')
})
