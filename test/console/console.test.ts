import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { resources } from '../../core/resources/all.ts'
import { collectionOf } from '../../core/resources/resource.ts'
import { addGateway, signal, startGateway } from '../support/messaging/gateway.ts'
import { type ConsoleWorld, signIn, startConsole } from './support/console.ts'

let world: ConsoleWorld
before(async () => {
  world = await startConsole()
  for (const name of ['queues', 'rates', 'dids', 'cdrs', 'sms_gateways']) await world.create(name)
})
after(() => world.close())

const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp.exe'

test('who is not signed in is asked for it, and is then where they wanted to be', async () => {
  const page = await world.open('/extensions', { isSignedIn: false })
  await signIn(page, 'wrong')
  await page.getByText('Invalid credentials.').waitFor()
  await signIn(page)
  await page.getByRole('heading', { name: 'Extensions' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/extensions')
})

describe('every resource', () => {
  for (const resource of resources) {
    const path = `/${collectionOf(resource)}`
    test(`${resource.plural} have a list, and a form with each of their fields`, async () => {
      const page = await world.open(path)
      await page.getByRole('heading', { name: resource.plural, exact: true }).waitFor()
      await page.getByRole('status').filter({ hasText: /\d|no/ }).first().waitFor()
      if (resource.name === 'sms_messages') return
      await page.goto(`${world.service.url}${path}/new`)
      const form = page.locator('form.record')
      await form.waitFor()
      const count = await form.locator('.field').count()
      assert.equal(count, Object.keys(resource.fields).length)
    })
  }
})

test('a record is made, with the sentences of the service where a field is wrong', async () => {
  const page = await world.open('/tenants/new')
  await page.getByRole('button', { name: 'Create tenant' }).click()
  await page.getByText('The slug field is required.').waitFor()
  await page.getByLabel('Name', { exact: false }).first().fill(HOSTILE)
  await page.getByLabel('Slug').fill('hostile')
  await page.getByLabel('Domain').fill('hostile.example.com')
  await page.getByLabel('Timezone').fill('Europe/Kyiv')
  await page.getByLabel('Max extensions').fill('5')
  await page.getByRole('button', { name: 'Create tenant' }).click()
  await page.getByRole('heading', { name: 'hostile' }).waitFor()
  await page.goto(`${world.service.url}/tenants?search=hostile`)
  await page.locator('.row[data-id]').first().waitFor()
  assert.equal(await page.locator('.row[data-id]').count(), 1)
  assert.equal(await page.locator('img').count(), 0)
})

test('the first wrong field has the focus at once, so that nothing typed lands in another', async () => {
  const focused = async (path: string, create: string): Promise<string | null> => {
    const page = await world.open(path)
    const button = page.getByRole('button', { name: create })
    await button.waitFor()
    // What waits for the next frame never comes.
    await page.evaluate('window.requestAnimationFrame = () => 0')
    await button.click()
    await page.getByText('field is required.').first().waitFor()
    return page.evaluate<string | null>('document.activeElement.getAttribute("name")')
  }
  assert.equal(await focused('/tenants/new', 'Create tenant'), 'name')
  assert.equal(await focused('/accounts?account=new', 'Create account'), 'email')
})

test('a session that ends in a form is renewed over it, and nothing that was typed is lost', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const page = await world.open(`/queues/${id}`)
  await page.getByLabel('Name', { exact: false }).first().fill('Sales')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await signIn(page)
  await page.getByText('Queue updated successfully.').waitFor()
  assert.equal((await world.get(`/api/queues/${id}`)).json.data.name, 'Sales')
})

test('what is typed while a saved record is read again stays, and is saved next', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const page = await world.open(`/queues/${id}`)
  const name = page.getByLabel('Name', { exact: false }).first()
  await name.fill('Sales')
  const path = `/api/console/records/queues/${id}`
  const typed = signal<void>()
  await page.route(`**${path}`, async route => {
    if (route.request().method() === 'GET') await typed.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Queue updated successfully.').waitFor()
  await name.fill('Service')
  const readAgain = page.waitForResponse(answer => answer.url().endsWith(path) && answer.request().method() === 'GET')
  typed.resolve()
  await (await readAgain).finished()
  const saved = page.waitForResponse(answer => answer.url().endsWith(path) && answer.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.equal((await saved).status(), 200)
  assert.equal((await world.get(`/api/queues/${id}`)).json.data.name, 'Service')
})

test('of two who edit one record, the second sees both sides and decides', async () => {
  const { id } = await world.create('queues', { name: 'Support', timeout: 30 })
  const page = await world.open(`/queues/${id}`)
  await page.getByLabel('Name', { exact: false }).first().fill('Mine')
  await world.send('PATCH', `/api/console/records/queues/${id}`, { name: 'Theirs', timeout: 45 })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert', { name: 'Changed by someone else' }).waitFor()
  await page.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByText('Queue updated successfully.').waitFor()
  const { data } = (await world.get(`/api/queues/${id}`)).json
  assert.deepEqual([data.name, data.timeout], ['Mine', 45])
})

test('a tenant goes with all that it has only once its slug is typed', async () => {
  const tenant = await world.create('tenants')
  await world.create('queues', { tenant_id: tenant.id })
  const page = await world.open(`/tenants/${tenant.id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('1 queues').waitFor()
  const all = dialog.getByRole('button', { name: 'Delete all of it' })
  assert.equal(await all.isDisabled(), true)
  await dialog.getByRole('textbox').fill(String(tenant['slug']))
  await all.click()
  await page.getByText('deleted.').waitFor()
  assert.equal((await world.get(`/api/tenants/${tenant.id}`)).status, 404)
})

test('no page holds a secret until it is requested', async () => {
  const { id } = await world.create('extensions', { secret: 'hush-hush-hush' })
  const page = await world.open(`/extensions/${id}`)
  await page.locator('form.record').waitFor()
  const secret = page.getByLabel('Secret', { exact: false })
  assert.equal(await secret.inputValue(), '')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('button', { name: 'Hide' }).waitFor()
  assert.equal(await secret.inputValue(), 'hush-hush-hush')
})

test('numbers of twenty digits in JSON come back as they were', async () => {
  const { id } = await world.create('tenants', { settings: { big: 1 } })
  const page = await world.open(`/tenants/${id}`)
  await page.getByLabel('Settings').fill('{"big": 12345678901234567890}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Tenant updated successfully.').waitFor()
  assert.match((await world.get(`/api/console/records/tenants/${id}`)).text, /"big":12345678901234567890/)
  assert.match(await page.getByLabel('Settings').inputValue(), /12345678901234567890/)
})

test('filters, order and columns stand in the address, and come back with it', async () => {
  await world.create('cdrs', { disposition: 'ANSWERED' })
  const page = await world.open('/cdrs?filter[disposition]=ANSWERED&sort=-cost&columns=caller_number,cost')
  await page.getByRole('columnheader', { name: 'Cost' }).waitFor()
  assert.deepEqual((await page.getByRole('columnheader').allInnerTexts()).filter(Boolean).length, 2)
  assert.equal(await page.getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort'), 'descending')
  await page.getByRole('button', { name: 'Cost' }).click()
  await page.waitForURL(/sort=cost/)
  await page.goBack()
  await page.waitForURL(/sort=-cost/)
})

test('a call leads to what it costs by the rates of its time, explained', async () => {
  const { tenant_id } = world.references
  await world.create('rates', {
    tenant_id,
    prefix: '49',
    cost_per_minute: '0.05',
    billing_increment: 1,
    status: 'active',
  })
  const call = { destination_number: '+4930123456', duration_seconds: 90, started_at: '2026-03-01 12:00:00' }
  const { id } = await world.create('cdrs', { tenant_id, ...call })
  const page = await world.open(`/cdrs/${id}`)
  await page.getByText('its cost was entered by hand').waitFor()
  await page.getByRole('link', { name: 'Explain what it costs' }).click()
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('0.0750').waitFor()
})

test('the usage of a month is a table, by day or by tenant, that can be downloaded', async () => {
  const call = {
    started_at: '2026-04-10 12:00:00',
    disposition: 'ANSWERED',
    direction: 'outbound',
    duration_seconds: 60,
  }
  await world.create('cdrs', { ...call, cost: '1.5' })
  const page = await world.open('/usage?month=2026-04')
  await page.getByRole('cell', { name: 'Total' }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as CSV' }).click()
  assert.equal((await downloading).suggestedFilename(), 'usage-2026-04.csv')
  await page.goto(`${world.service.url}/usage?month=2026-04&tenant=${world.references.tenant_id}`)
  await page.locator('.chart .uplot canvas').waitFor()
  await page
    .getByRole('rowheader', { name: '2026-04-10' })
    .or(page.getByRole('cell', { name: '2026-04-10' }))
    .waitFor()
})

test('the audit trail shows what was before and what is', async () => {
  const { id } = await world.create('queues', { name: 'Before' })
  await world.send('PATCH', `/api/console/records/queues/${id}`, { name: 'After' })
  const page = await world.open(`/audit?resource=queues&record=${id}`)
  await page.getByText('Before → After', { exact: true }).waitFor()
})

test('records in quarantine are chosen and discarded, after a question', async () => {
  const feed = { name: 'pbx.csv', rules: { timezone: 'UTC', contexts: {}, tenant: null } }
  const { calls } = world.service.trunkline.storage
  await calls.store(feed, [{ format: 'ndjson', raw: '{"no":"call"}', reason: 'has no start' }], null)
  const page = await world.open('/')
  await page.getByRole('link', { name: 'In quarantine' }).click()
  await page.getByRole('checkbox', { name: 'Choose record' }).check()
  await page.getByRole('button', { name: 'Try 1 again' }).click()
  await page.getByText('Replayed 0, left 1.').waitFor()
  await page.getByRole('checkbox', { name: 'Choose record' }).check()
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await page.getByText('Every record of a switch could be used.').waitFor()
})

test("a message is sent from its gateway's page, which shows the outcome", async t => {
  const provider = await startGateway()
  t.after(() => provider.close())
  const id = await addGateway(world.service, world.session, provider)
  const page = await world.open(`/sms-gateways/${id}`)
  await page.getByText('Send a message').click()
  await page.getByLabel('To number').fill('+380501234567')
  await page.getByLabel('From sender').fill('ACME')
  await page.getByLabel('Message', { exact: false }).fill('Привіт')
  await page.getByText('1 part, UCS-2').waitFor()
  await page.getByLabel('Message', { exact: false }).fill('Hello'.repeat(40))
  await page.getByText('2 parts, GSM-7').waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.way').getByText('submitted', { exact: true }).waitFor()
})

test('everything is reached by the keyboard, and letters can be switched off', async () => {
  const page = await world.open('/')
  await page.locator('.tiles').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.getByRole('heading', { name: 'Extensions' }).waitFor()
  await page.locator('.row[data-id]').first().waitFor()
  await page.keyboard.press('/')
  assert.equal(await page.locator('input[type=search]:focus').count(), 1)
  await page.locator('body').click({ position: { x: 700, y: 20 } })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.locator('form.record').waitFor()
  await page.getByLabel('Display name').fill('By keyboard')
  await page.keyboard.press('Control+s')
  await page.getByText('Extension updated successfully.').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('new que')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'New queue' }).waitFor()
  await page.locator('h1').click()
  await page.keyboard.press('?')
  await page.getByRole('checkbox', { name: 'Single letters' }).uncheck()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  assert.equal(new URL(page.url()).pathname, '/queues/new')
})
