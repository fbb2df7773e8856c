import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '../../core/ports/accounts.ts'
import { furnished } from '../support/data/furnished.ts'
import { sessionAs } from '../support/http/accounts.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

let world: ConsoleWorld
let ids: Record<string, number>
before(async () => {
  world = await startConsole({ roles: 'enforced' })
  ids = await furnished(world, world.references.tenant_id, 'hush-hush')
})
after(() => world.close())

const openAs = async (path: string, role: Role, tenantId?: number): Promise<Page> =>
  world.open(path, { as: await sessionAs(world.service, role, tenantId) })

const menuOf = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()

/** What the palette offers for these letters. */
async function offered(page: Page, typed: string): Promise<string[]> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill(typed)
  const found = await page.getByRole('option').allInnerTexts()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return found
}

test('a supervisor is offered what can be read, and nothing that changes anything', async () => {
  const page = await openAs('/', 'supervisor')
  await page.locator('.tiles').waitFor()
  assert.equal(await page.getByRole('link', { name: /^New / }).count(), 0)
  assert.deepEqual(await offered(page, 'new'), [])
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.locator('.row[data-id]').first().waitFor()
  await page.keyboard.press('n')
  assert.equal(new URL(page.url()).pathname, '/extensions')
  for (const name of ['extensions', 'queues', 'tenants', 'trunks']) {
    await page.goto(`${world.service.url}/${name}`)
    await page.locator('.row[data-id]').first().waitFor()
    assert.equal(await page.getByRole('link', { name: /^New |^Add / }).count(), 0, name)
    await page.goto(`${world.service.url}/${name}/${ids[name]}`)
    await page.locator('form.record').waitFor()
    for (const button of ['Save', 'Delete', 'Show', 'Make one'])
      assert.equal(await page.getByRole('button', { name: button, exact: true }).count(), 0, `${name} ${button}`)
    assert.equal(await page.locator('form.record input:enabled').count(), 0, name)
  }
  await page.goto(`${world.service.url}/extensions/new`)
  await page.getByText('Your account may not do this.').waitFor()
  await page.goto(`${world.service.url}/sms-gateways/${ids['sms_gateways']}`)
  await page.getByText('Send a message').waitFor()
  await page.goto(`${world.service.url}/quarantine`)
  await page.getByRole('heading', { name: 'Quarantine' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Discard' }).count(), 0)
})

test('a supervisor sees an import that runs, and nothing that would stop it', async () => {
  const page = await openAs('/quote', 'supervisor')
  const job = {
    ...{ id: 7, kind: 'import', collection: 'rates', state: 'running', file: 'deck.csv', bytes: 9, by: 'admin' },
    ...{ can_resume: false, progress: { rows: 5, bytes: 5, rejected: 0 }, created_at: '2026-11-01T00:00:00Z' },
  }
  await page.route('**/api/console/jobs', route => route.fulfill({ json: { data: [job] } }))
  await page.route('**/api/console/jobs/7', route => route.fulfill({ json: { data: job } }))
  await page.goto(`${world.service.url}/jobs?job=7`)
  await page.getByText('Running · 5 rows').waitFor()
  for (const name of ['Stop', 'Import a file'])
    assert.equal(await page.getByRole('button', { name }).or(page.getByRole('link', { name })).count(), 0, name)
})

test('a manager changes records, but deletes no tenants and leaves alone where passwords go', async () => {
  const page = await openAs(`/tenants/${world.references.tenant_id}`, 'manager')
  await page.getByRole('button', { name: 'Save' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
  await page.goto(`${world.service.url}/sms-gateways/${ids['sms_gateways']}`)
  await page.locator('form.record').waitFor()
  assert.equal(await page.getByLabel('Server host').isDisabled(), true)
  assert.equal(await page.getByLabel('Notes').isDisabled(), false)
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.goto(`${world.service.url}/extensions/${ids['extensions']}`)
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('button', { name: 'Hide' }).waitFor()
})

test('an account of one tenant has the figures, the lists and the forms of its tenant alone', async () => {
  const page = await openAs('/', 'admin', world.references.tenant_id)
  await page.locator('.tiles').waitFor()
  assert.equal(await page.getByText('In quarantine').count(), 0)
  const menu = await menuOf(page)
  for (const title of ['Tenants', 'Extensions', 'CDRs', 'Usage', 'Quote']) assert.ok(menu.includes(title), title)
  for (const title of ['Trunks', 'Quarantine', 'Audit trail']) assert.ok(!menu.includes(title), title)
  assert.deepEqual(await offered(page, 'new ten'), [])
  assert.deepEqual(await offered(page, 'new ext'), ['New Extension'])
  await page.goto(`${world.service.url}/audit`)
  await page.getByText('Your account may not do this.').waitFor()
  await page.goto(`${world.service.url}/tenants/${world.references.tenant_id}`)
  await page.getByLabel('Name', { exact: false }).first().waitFor()
  assert.equal(await page.getByLabel('Slug').isDisabled(), true)
  await page.goto(`${world.service.url}/sms-gateways/${ids['sms_gateways']}`)
  await page.locator('form.record').waitFor()
  assert.equal(await page.getByLabel('Server host').count(), 0)
  await page.goto(`${world.service.url}/queues/new`)
  await page.getByLabel('Name', { exact: false }).first().fill('Ours')
  await page.getByLabel('Queue number').fill('7001')
  await page.getByLabel('Strategy').fill('ringall')
  await page.getByLabel('Timeout').fill('60')
  await page.getByRole('button', { name: 'Create queue' }).click()
  await page.getByText('Queue created successfully.').waitFor()
})
