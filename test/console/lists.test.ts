import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { resources } from '../../core/resources/all.ts'
import { collectionOf } from '../../core/resources/resource.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

let world: ConsoleWorld
before(async () => {
  world = await startConsole()
})
after(() => world.close())

/** Returns the texts of headings, numbers and moments that are cut. */
const cut = (page: Page): Promise<string[]> =>
  page
    .locator('.table .head .cell, .table .cell.whole')
    .evaluateAll(cells =>
      cells
        .filter(cell =>
          [cell, ...cell.children].some(each => each.clientWidth > 0 && each.scrollWidth > each.clientWidth),
        )
        .map(cell => cell.textContent),
    )

const NAMES = ['Телефонна компанія «Північне сяйво» та партнери', 'شركة الاتصالات الشمالية المتحدة للخدمات', 'Acme']

test('a list of calls cuts no number and no moment, and names only with a title', async () => {
  for (const [n, name] of NAMES.entries()) {
    const tenant_id = (await world.create('tenants', { name, slug: n === 0 ? 'північне-сяйво-та-партнери' : `t-${n}` }))
      .id
    for (let call = 0; call < 8; call++)
      await world.create('cdrs', {
        ...{ tenant_id, extension_id: null, direction: 'outbound', disposition: call % 3 ? 'ANSWERED' : 'NO ANSWER' },
        ...{ caller_number: call % 2 ? '101' : '+380441234567890', destination_number: `+49301234567890${call}` },
        ...{ duration_seconds: 61, bill_seconds: call * 1_234, cost: String(call * 123.4567) },
        started_at: `2026-11-${20 - n} 12:${10 + call}:00`,
      })
  }
  for (const width of [1280, 390]) {
    const page = await world.open('/cdrs', { width })
    await page.locator('.row[data-id]').first().waitFor()
    assert.deepEqual(await cut(page), [], `${width}`)
    const wide = await page.locator('.table').evaluate(table => table.scrollWidth - table.clientWidth)
    assert.equal(wide, 0, `${width}`)
    const tenant = page.getByRole('cell', { name: /сяйво/ }).first()
    assert.match((await tenant.getAttribute('title')) ?? '', /^північне-сяйво-та-партнери$/)
    await page.getByText('Columns').click()
    const popup = await page.locator('.popup').boundingBox()
    assert.ok(popup && popup.x >= 0 && popup.x + popup.width <= width, `${width}`)
    await page.context().close()
  }
})

test('no list cuts a heading, whether wide or narrow', async () => {
  for (const resource of resources) {
    if (resource.path !== null && !['cdrs', 'sms_messages'].includes(resource.name)) await world.create(resource)
    for (const width of [1280, 390]) {
      const page = await world.open(`/${collectionOf(resource)}`, { width })
      await page.locator('.row[data-id], .nothing').first().waitFor()
      assert.deepEqual(await cut(page), [], `${resource.name} ${width}`)
      const main = page.locator('main')
      assert.equal(await main.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0, resource.name)
      await page.context().close()
    }
  }
})

test('a column is as wide as the longest of its numbers', async () => {
  await world.create('rates', { tenant_id: world.references.tenant_id, cost_per_minute: '12345678901.2345' })
  const page = await world.open('/rates')
  await page.getByText('12345678901.2345').waitFor()
  assert.deepEqual(await cut(page), [])
})

test('a list of more than 10,000 records is sorted only by what has an index, and a filtered one by any number', async () => {
  const tenant = await world.create('tenants')
  await world.create('cdrs', { tenant_id: tenant.id, extension_id: null, disposition: 'BUSY' })
  const page = await world.open('/cdrs')
  await page.route('**/cdrs/count?*', route =>
    route.request().url().includes('disposition')
      ? route.continue()
      : route.fulfill({ json: { message: 'CDRs counted.', data: { count: 10_001 } } }),
  )
  await page.route('**/records/cdrs?*', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'x-next-after': '1' } })
  })
  await page.reload()
  await page.getByText('10,000+ CDRs').waitFor()
  const heading = (name: string) => page.getByRole('columnheader', { name })
  await heading('Started at').getByRole('button').waitFor()
  assert.equal(await heading('Cost').getByRole('button').count(), 0)
  assert.match((await heading('Cost').locator('span').getAttribute('title')) ?? '', /filter the list to 10,000/)
  await page.goto(`${world.service.url}/cdrs?filter[disposition]=BUSY`)
  await heading('Cost').getByRole('button').click()
  await page.waitForURL(/sort=-cost/)
})

test('a number of 20 digits is whole on a telephone as well', async () => {
  const tenant = await world.create('tenants')
  const number = '99999999999999999999'
  await world.create('cdrs', { tenant_id: tenant.id, extension_id: null, destination_number: number })
  const page = await world.open(`/cdrs?tenant=${tenant.id}`, { width: 390 })
  await page.getByText(number).waitFor()
  assert.deepEqual(await cut(page), [])
})

test('a list whose address holds a filter or an order that does not exist says so, and clears it, in the same tab', async () => {
  const tenant = world.references.tenant_id
  await world.create('cdrs', { tenant_id: tenant })
  for (const wrong of [
    'filter[nonsense]=1',
    'sort=nonsense',
    'jump=2026-99-99',
    'from=2026-02-31',
    'filter[duration_seconds]=abc',
  ]) {
    const page = await world.open(`/tenants/${tenant}?tab=cdrs.tenant_id&${wrong}`)
    const trouble = page.getByRole('alert')
    await trouble.getByText('field').waitFor()
    assert.equal(await page.getByText('More than 0').count(), 0, wrong)
    await trouble.getByRole('button', { name: 'Clear the filters' }).click()
    await page.locator('.row[data-id]').first().waitFor()
    assert.equal(new URL(page.url()).search, '?tab=cdrs.tenant_id')
  }
})

test('a list that jumps to a day before all of its records says that none matches', async () => {
  const page = await world.open('/cdrs?jump=1990-01-01')
  await page.getByText('No CDR matches.').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.locator('.row[data-id]').first().waitFor()
})

test('a list that becomes narrow or wide while somebody reads it stays at the row that was first', async () => {
  const { id: tenant_id } = await world.create('tenants', {})
  for (let n = 0; n < 120; n++) await world.create('queues', { tenant_id, name: `Queue ${n}` })
  const page = await world.open(`/queues?filter[tenant_id]=${tenant_id}&sort=id`)
  await page.getByText('Queue 3', { exact: true }).waitFor()
  await page.locator('.table').evaluate(table => table.scrollTo(0, 36 * 80))
  await page.getByText('Queue 80', { exact: true }).waitFor()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.locator(width === 390 ? '.table.cards' : '.table:not(.cards)').waitFor()
    const box = await page.locator('.table').boundingBox()
    const row = await page.getByText('Queue 81', { exact: true }).boundingBox()
    assert.ok(box && row && row.y > box.y && row.y < box.y + box.height, `at ${width}: ${row?.y} in ${box?.y}`)
  }
})
