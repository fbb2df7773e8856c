import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { resources } from '../../core/resources/all.ts'
import { collectionOf } from '../../core/resources/resource.ts'
import { accessibilityProblems, type ConsoleWorld, signIn, startConsole } from './support/console.ts'

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

test('a lost connection in the middle of a save keeps the form, and says that the outcome is unknown', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const page = await world.open(`/queues/${id}`)
  await page.getByLabel('Name', { exact: false }).first().fill('Sales')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('it is not known whether this was done', { exact: false }).waitFor()
  assert.equal(await page.getByLabel('Name', { exact: false }).first().inputValue(), 'Sales')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Queue updated successfully.').waitFor()
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

test('a secret stands in no page until it is asked for', async () => {
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
  assert.equal(await page.getByRole('columnheader').count(), 2)
  assert.equal(await page.getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort'), 'descending')
  await page.getByRole('button', { name: 'Cost' }).click()
  await page.waitForURL(/sort=cost/)
  await page.goBack()
  await page.waitForURL(/sort=-cost/)
})

for (const [width, colorScheme] of [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)
  test(`axe finds nothing, ${colorScheme} and ${width} pixels wide`, async () => {
    const { id } = await world.create('extensions')
    for (const path of ['/tenants', '/cdrs', `/extensions/${id}`, '/rates/new', '/devices']) {
      const page = await world.open(path, { width, colorScheme })
      await page.locator('.row[data-id], form.record, .nothing').first().waitFor()
      assert.deepEqual(await accessibilityProblems(page), [], path)
      await page.context().close()
    }
  })
