import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ConsoleWorld, signIn, startConsole } from './support/console.ts'

let world: ConsoleWorld
before(async () => {
  world = await startConsole()
})
after(() => world.close())

const nameIn = (page: Page) => page.locator('form.record').getByLabel('Name', { exact: false }).first()

test('another tab of a record, like another page, is opened only after a question while something typed is not saved', async () => {
  const page = await world.open(`/tenants/${world.references.tenant_id}`)
  await nameIn(page).fill('Typed')
  let questions = 0
  page.on('dialog', dialog => {
    questions++
    void dialog.dismiss()
  })
  await page.locator('nav.tabs').getByRole('link', { name: 'Queues' }).click()
  await page.getByRole('link', { name: 'Usage' }).click()
  assert.equal(questions, 2)
  assert.equal(await nameIn(page).inputValue(), 'Typed')
  assert.equal(new URL(page.url()).search, '')
})

test('the link to the content moves the focus there, and keeps what is typed', async () => {
  const page = await world.open('/queues/new')
  await nameIn(page).fill('Typed')
  const skip = page.getByRole('link', { name: 'Skip to the content' })
  await skip.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/#main$/)
  assert.equal(await page.locator('main:focus').count(), 1)
  assert.equal(await nameIn(page).inputValue(), 'Typed')
})

test('the request for a password over an open window stays, however often Escape is pressed', async () => {
  const tenant = await world.create('tenants')
  const page = await world.open(`/tenants/${tenant.id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.context().clearCookies()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  const ended = page.getByRole('heading', { name: 'Your session has ended' })
  await ended.waitFor()
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
  assert.equal(await ended.isVisible(), true)
  await signIn(page)
  await page.getByText('deleted.').waitFor()
})

test('the way back closes the palette', async () => {
  const page = await world.open('/tenants')
  await page.locator('.row[data-id] a.main').first().click()
  await page.locator('form.record').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a record with something typed is deleted with one question', async () => {
  const { id } = await world.create('queues')
  const page = await world.open(`/queues/${id}`)
  await nameIn(page).fill('Typed')
  let questions = 0
  page.on('dialog', dialog => {
    questions++
    void dialog.accept()
  })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL(/queues$/)
  assert.equal(questions, 0)
})

test('a page whose address names a tenant wrongly asks for no such tenant', async () => {
  const asked: string[] = []
  for (const path of [
    '/usage?tenant=acme',
    '/quote?tenant=acme',
    '/rerate?tenant=acme',
    '/queues/new?tenant_id=acme',
  ]) {
    const page = await world.open('/jobs')
    page.on('request', request => asked.push(request.url()))
    await page.goto(world.service.url + path)
    await page.getByPlaceholder('Find Tenant').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.context().close()
  }
  assert.deepEqual(
    asked.filter(url => url.includes('NaN')),
    [],
  )
})

test('an address of an import that names a job leads to the job, and says so if there is none', async () => {
  const page = await world.open('/import?job=99999')
  await page.waitForURL(/\/jobs\?job=99999$/)
  await page.locator('#job-title + .hint').filter({ hasNotText: 'Loading' }).waitFor()
})
