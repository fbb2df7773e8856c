import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addGateway, type FakeGateway, json, MESSAGE, startGateway } from '../support/messaging/gateway.ts'
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

const UNKNOWN = 'It is not known whether the message was sent.'

/** Loses the next answers to a path: of requests that arrive, or of requests that do not. */
async function lose(page: Page, path: string, { arrives }: { readonly arrives: boolean }): Promise<void> {
  await page.route(`**${path}`, async route => {
    if (arrives) await route.fetch()
    await route.abort()
  })
}

for (const arrives of [true, false])
  test(`a message whose ${arrives ? 'answer' : 'request'} was lost reaches its gateway once, though Send is pressed twice`, async () => {
    const gateway = await addGateway(world.service, world.session, provider)
    const page = await world.open(`/sms-gateways/${gateway}`)
    await page.getByText('Send a message').click()
    await page.getByLabel('To number').fill(MESSAGE.to_number)
    await page.getByLabel('From sender').fill(MESSAGE.from_sender)
    await page.getByLabel('Message', { exact: false }).fill(`Hello, ${arrives}`)
    const before = provider.requests.length
    await lose(page, '/send', { arrives })
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await send.click()
    await page.getByText(UNKNOWN).waitFor()
    await page.unroute('**/send')
    await send.click()
    await page.locator('.way').getByText('submitted', { exact: true }).waitFor()
    assert.equal(await page.getByText('It was sent before the connection was lost.').count(), arrives ? 1 : 0)
    assert.equal(await page.getByText(UNKNOWN).count(), 0)
    assert.equal(provider.requests.length - before, 1)
  })

test('a failed message is sent again once, even if the answer was lost', async () => {
  const gateway = await addGateway(world.service, world.session, provider)
  provider.answer(response => json(response, 400, { reason: 'no credit' }))
  const failed = (await world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json.data
  provider.answer(response => json(response, 200, { message_id: 'm-2' }))
  const page = await world.open(`/sms-messages/${failed.id}`)
  await lose(page, '/resend', { arrives: true })
  const before = provider.requests.length
  await page.getByRole('button', { name: 'Send it again' }).click()
  await page.getByText(UNKNOWN).waitFor()
  await page.unroute('**/resend')
  await page.getByRole('button', { name: 'Send it again' }).click()
  await page.waitForURL(url => url.pathname !== `/sms-messages/${failed.id}`)
  assert.equal(provider.requests.length - before, 1)
})

test('a lost connection in the middle of a save keeps the form, says that the outcome is unknown, and is over without another press', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const page = await world.open(`/queues/${id}`)
  await page.getByLabel('Name', { exact: false }).first().fill('Sales')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('it is not known whether this was done', { exact: false }).waitFor()
  assert.equal(await page.getByLabel('Name', { exact: false }).first().inputValue(), 'Sales')
  const banner = page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' })
  await banner.waitFor()
  await page.context().setOffline(false)
  await banner.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Queue updated successfully.').waitFor()
})

test('after a save whose answer was lost, the record is read again, and nothing is sent twice', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const page = await world.open(`/queues/${id}`)
  await page.getByLabel('Name', { exact: false }).first().fill('Sales')
  let changes = 0
  await page.route(`**/records/queues/${id}`, async route => {
    if (route.request().method() !== 'PATCH') return route.continue()
    changes++
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('it is not known whether this was done', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It was saved before the connection was lost.').waitFor()
  assert.equal(changes, 1)
  assert.equal(await page.getByRole('alert').count(), 0)
})

for (const arrives of [true, false])
  test(`a new record whose ${arrives ? 'answer' : 'request'} was lost is created once, though Create is pressed twice`, async () => {
    const name = `Lost ${arrives}`
    await world.create('queues', { name, queue_number: '7100', max_wait_time: 77 })
    const page = await world.open(`/queues/new?tenant_id=${world.references.tenant_id}`)
    for (const [label, value] of Object.entries({ 'Queue number': '7101', Strategy: 'ringall', Timeout: '60' }))
      await page.getByLabel(label).fill(value)
    await page.getByLabel('Name', { exact: false }).first().fill(name)
    await page.route('**/records/queues', async route => {
      if (arrives) await route.fetch()
      await route.abort()
    })
    const create = page.getByRole('button', { name: 'Create queue' })
    await create.click()
    await page.getByText('it is not known whether this was done', { exact: false }).waitFor()
    await page.unroute('**/records/queues')
    await create.click()
    const said = arrives ? 'It was saved before the connection was lost.' : 'Queue created successfully.'
    await page.getByText(said).waitFor()
    await page.waitForURL(/queues\/\d+$/)
    const { data } = (await world.get('/api/queues?limit=100')).json
    const created = data.filter((each: { name: string }) => each.name === name)
    assert.equal(created.length, 2)
    const id = Number(new URL(page.url()).pathname.split('/').at(-1))
    assert.equal(id, Math.max(...created.map((each: { id: number }) => each.id)))
  })

test('a page opened while the service cannot be reached goes on once it can', async () => {
  const page = await world.open('/queues')
  await page.route('**/api/**', route => route.abort())
  await page.reload()
  await page.getByText('The service cannot be reached.').first().waitFor()
  await page.unroute('**/api/**')
  await page.getByRole('heading', { name: 'Queues' }).waitFor()
})
