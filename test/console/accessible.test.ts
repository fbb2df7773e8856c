import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { PAGES } from '../../core/console/paths.ts'
import { exposedResources, resources } from '../../core/resources/all.ts'
import { collectionOf } from '../../core/resources/resource.ts'
import { addGateway, MESSAGE, startGateway } from '../support/messaging/gateway.ts'
import { accessibilityProblems, type ConsoleWorld, startConsole } from './support/console.ts'

let world: ConsoleWorld
let paths: readonly string[]
before(async () => {
  world = await startConsole()
  const gateway = await startGateway()
  const id = await addGateway(world.service, world.session, gateway)
  await world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
  await gateway.close()
  const records = await Promise.all(
    exposedResources.map(async resource => `/${collectionOf(resource)}/${(await world.create(resource)).id}`),
  )
  const lists = resources.map(resource => `/${collectionOf(resource)}`)
  const forms = exposedResources.map(resource => `/${collectionOf(resource)}/new`)
  paths = [
    '/',
    ...PAGES.map(page => `/${page}`),
    '/accounts?account=new',
    '/cdrs?search=nothing-matches',
    ...lists,
    ...forms,
    ...records,
    '/sms-messages/1',
  ]
})
after(() => world.close())

/** The looks of a page: it takes each without being loaded again. */
const LOOKS = [1280, 390].flatMap(width => (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme })))

async function show(page: Page, { width, colorScheme }: (typeof LOOKS)[number]): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({ colorScheme })
  // What follows the width is drawn by the second frame.
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

test('axe finds nothing on any screen, light or dark, wide or narrow', async () => {
  const page = await world.open('/')
  for (const path of paths) {
    await page.goto(world.service.url + path)
    await page.locator('main h1').waitFor()
    await page.waitForLoadState('networkidle')
    for (const look of LOOKS) {
      await show(page, look)
      assert.deepEqual(await accessibilityProblems(page), [], `${path}, ${look.colorScheme}, ${look.width} pixels`)
    }
  }
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing on the login form, ${colorScheme}`, async () => {
    for (const width of [1280, 390]) {
      const page = await world.open('/', { isSignedIn: false, width, colorScheme })
      await page.getByLabel('Password').waitFor()
      assert.deepEqual(await accessibilityProblems(page), [])
    }
  })
