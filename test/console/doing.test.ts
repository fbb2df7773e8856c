import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ndjsonRow, taken } from '../support/data/switch.ts'
import { addGateway, json, MESSAGE, startGateway } from '../support/messaging/gateway.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

let world: ConsoleWorld
before(async () => {
  world = await startConsole()
})
after(() => world.close())

test('an account is made, its password shown once, changed, and deleted; its sessions are ended', async () => {
  const page = await world.open('/accounts')
  await page.getByRole('link', { name: 'New account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('carol@example.com')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('It is shown only now.').waitFor()
  const password = await page.locator('code.password').innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  const theirs = await world.open('/', { isSignedIn: false })
  await theirs.getByLabel('E-mail').fill('carol@example.com')
  await theirs.getByLabel('Password').fill(password)
  await theirs.getByRole('button', { name: 'Log in' }).click()
  await theirs.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.getByRole('link', { name: 'carol@example.com' }).click()
  await dialog.getByLabel('Name').fill('Carol')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'Carol', exact: true }).waitFor()
  await page.getByRole('link', { name: 'carol@example.com' }).click()
  await page.getByRole('link', { name: 'Its sessions' }).click()
  await page.getByRole('cell', { name: /127\.0\.0\.1/ }).waitFor()
  await page.getByRole('button', { name: /^End the session of carol/ }).click()
  await page.getByText('Nobody is logged in with this account.').waitFor()
  await theirs.goto(`${world.service.url}/tenants`)
  await theirs.getByRole('button', { name: 'Log in' }).waitFor()
  await page.goto(`${world.service.url}/accounts`)
  await page.getByRole('link', { name: 'carol@example.com' }).click()
  await page.getByRole('link', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Account deleted.').waitFor()
})

test('calls are rerated after a preview of what would change', async () => {
  const tenant = await world.create('tenants', { slug: 'rerated', name: 'Rerated' })
  await world.create('extensions', { tenant_id: tenant.id, extension_number: '101' })
  const { storage } = world.service.trunkline
  await taken({ storage }, ndjsonRow({ accountcode: 'rerated', to: '+4930123456', start: '2026-03-05 12:00:00' }))
  const rate = { tenant_id: tenant.id, prefix: '49', cost_per_minute: '0.06', billing_increment: 1, status: 'active' }
  await world.create('rates', rate)
  const page = await world.open('/cdrs')
  await page.getByRole('link', { name: 'Rate calls again' }).first().click()
  await page.getByRole('combobox', { name: 'Tenant' }).fill('rerated')
  await page.getByRole('option', { name: /rerated/ }).click()
  await page.getByLabel('Month').fill('2026-03')
  await page.getByRole('button', { name: 'Show what would change' }).click()
  await page.getByText('1 of 1').waitFor()
  await page.getByRole('cell', { name: '0.0650' }).waitFor()
  await page.getByRole('button', { name: 'Change 1 call' }).click()
  await page.getByText('Changed 1 of 1 call.').waitFor()
  await page.getByRole('table').getByRole('link').first().click()
  await page.getByRole('cell', { name: 'holds' }).waitFor()
})

test('a message that failed is sent again, and shows what the gateway answered', async t => {
  const provider = await startGateway()
  t.after(() => provider.close())
  const gateway = await addGateway(world.service, world.session, provider)
  provider.answer(response => json(response, 400, { reason: 'no credit' }))
  const failed = (await world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json.data
  provider.answer(response => json(response, 200, { message_id: 'm-2' }))
  const page = await world.open(`/sms-messages/${failed.id}`)
  await page.getByText('What the gateway answered').click()
  await page.getByText('no credit').first().waitFor()
  await page.getByRole('button', { name: 'Send it again' }).click()
  await page.waitForURL(url => url.pathname !== `/sms-messages/${failed.id}`)
  await page.locator('.way').getByText('submitted', { exact: true }).waitFor()
})

test('a change is taken back from the audit trail, in a form that shows it first', async () => {
  const { id } = await world.create('queues', { name: 'Support', timeout: 30 })
  await world.send('PATCH', `/api/console/records/queues/${id}`, { name: 'Wrong', timeout: 5 })
  const page = await world.open(`/audit?resource=queues&record=${id}`)
  await page.getByRole('link', { name: 'Take back…' }).click()
  await page.getByText('This takes back what admin@example.com changed.').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: false }).first().inputValue(), 'Support')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Queue updated successfully.').waitFor()
  const { data } = (await world.get(`/api/queues/${id}`)).json
  assert.deepEqual([data.name, data.timeout], ['Support', 30])
})

test('more than 1,000 chosen records are not offered to be changed together, and the page says why', async () => {
  const tenant = await world.create('tenants')
  await world.create('queues', { tenant_id: tenant.id, status: 'active' })
  const page = await world.open(`/queues?filter[tenant_id]=${tenant.id}`)
  const many = Array.from({ length: 1_000 }, (_, n) => ({ id: 1_000_000 + n }))
  await page.route('**/records/queues?*limit=1000*', route => route.fulfill({ json: { data: many } }))
  await page.getByRole('checkbox', { name: 'Choose row 1', exact: true }).check()
  await page.getByRole('button', { name: 'Choose all that match' }).click()
  await page.getByText('1,000 chosen').waitFor()
  const set = page.getByRole('button', { name: 'Set inactive' })
  assert.equal(await set.isEnabled(), true)
  await page.getByRole('checkbox', { name: 'Choose row 1', exact: true }).check()
  await page.getByText('Choose at most 1,000 records to change together.').waitFor()
  assert.equal(await set.isDisabled(), true)
  assert.equal(await page.getByLabel('Change a field').isDisabled(), true)
})

test('chosen rows are changed together, by mouse and by keyboard, or none of them with what is wrong', async () => {
  const tenant = await world.create('tenants')
  const made: number[] = []
  for (let n = 0; n < 3; n++) {
    const body = { tenant_id: tenant.id, queue_number: `20${n}`, status: 'active' }
    made.push((await world.create('queues', body)).id)
  }
  const statuses = async () =>
    Promise.all(made.map(async id => (await world.get(`/api/queues/${id}`)).json.data.status))
  const page = await world.open(`/queues?filter[tenant_id]=${tenant.id}`)
  await page.locator('.row[data-id]').first().waitFor()
  await page.getByRole('checkbox', { name: 'Choose row 1', exact: true }).check()
  await page.getByText('1 chosen').waitFor()
  await page.getByRole('button', { name: 'Choose all that match' }).click()
  await page.getByText('3 chosen').waitFor()
  await page.getByRole('button', { name: 'Set inactive' }).click()
  await page.getByText('3 queues changed.').waitFor()
  assert.deepEqual(await statuses(), ['inactive', 'inactive', 'inactive'])
  await page.locator('.row[data-id]').first().waitFor()
  await page.locator('h1').click()
  for (const key of ['j', 'x', 'j', 'x', 'e']) await page.keyboard.press(key)
  await page.getByText('2 chosen').waitFor()
  assert.equal(await page.locator('.bulk [data-edit]:focus').count(), 1)
  await page.getByLabel('Change a field').selectOption('name')
  await page.getByRole('dialog').getByLabel('Name').fill('Together')
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page.getByText('2 queues changed.').waitFor()
  await world.send('DELETE', `/api/queues/${made[0]}`)
  await page.getByRole('checkbox', { name: 'Choose all rows' }).check()
  await page.getByText('3 chosen').waitFor()
  await page.getByRole('button', { name: 'Set active', exact: true }).click()
  await page.getByText('Nothing was changed:').waitFor()
  await page.getByText('Queue not found.').waitFor()
})

test('a list by time can begin at a date, in the time zone of its tenant', async () => {
  const tenant = await world.create('tenants', { timezone: 'Pacific/Auckland' })
  for (const day of ['03', '04', '05'])
    await world.create('cdrs', { tenant_id: tenant.id, extension_id: null, started_at: `2026-05-${day} 12:30:00` })
  const page = await world.open(`/cdrs?filter[tenant_id]=${tenant.id}`)
  await page.getByText('Times in Pacific/Auckland.').waitFor()
  // Half past noon in UTC is half past midnight of the next day there.
  await page.getByText('2026-05-06 00:30:00').waitFor()
  await page.getByLabel('Jump to').fill('2026-05-05')
  await page.getByText('2026-05-06 00:30:00').waitFor({ state: 'detached' })
  await page.getByText('2026-05-05 00:30:00').waitFor()
  assert.equal(await page.locator('.row[data-id]').count(), 2)
  await page.getByRole('button', { name: 'Back to the latest' }).click()
  await page.getByText('2026-05-06 00:30:00').waitFor()
  await page.getByRole('checkbox', { name: 'UTC' }).check()
  await page.getByText('Times in UTC.').waitFor()
  await page.reload()
  await page.getByText('2026-05-05 12:30:00').waitFor()
})

test('a chart that the browser cannot draw leaves the table and the page as they are', async () => {
  const { tenant_id } = world.references
  await world.create('cdrs', { tenant_id, started_at: '2026-05-10 12:00:00', disposition: 'ANSWERED' })
  const page = await world.open('/')
  await page.addInitScript("Object.defineProperty(navigator, 'language', { get: () => 'en-US@posix' })")
  await page.goto(`${world.service.url}/usage?month=2026-05&tenant=${tenant_id}`)
  await page.getByText('This browser could not draw the chart.').waitFor()
  await page.getByRole('cell', { name: '2026-05-10' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.locator('.filters select').selectOption('direction')
  await page.getByRole('columnheader', { name: 'Direction' }).waitFor()
})
