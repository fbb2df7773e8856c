import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { ADMIN, temporaryFolder } from '../support/http/app.ts'
import { launchBrowser, openPage, signIn } from './support/console.ts'

const CALLS = 150_000
const HEADER = 'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at\n'
const file = (): string =>
  HEADER + Array.from({ length: CALLS }, (_, i) => `101,${i},outbound,BUSY,0,0,0,2026-01-01T00:00:00Z\n`).join('')

/** Returns the number of stored calls, and of different ones. */
async function storedIn(path: string): Promise<unknown> {
  const storage = openStorage(path, { clock: systemClock() })
  const row = storage.connection.db
    .prepare('SELECT count(*) AS calls, count(DISTINCT destination_number) AS different FROM cdrs')
    .get()
  await storage.close()
  return row
}

test('an import whose daemon is killed is resumed from the browser, and no call is lost or stored twice', async t => {
  const folder = temporaryFolder()
  t.after(() => folder.remove())
  const db = join(folder.path, 'trunkline.db')
  const account = { TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password }
  let daemon: DaemonProcess = await startDaemon(account, '--db', db)
  t.after(() => daemon.stop())
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const { url } = daemon
  const complaints: string[] = []
  const page = await openPage(browser, { url, session: '' }, '/', { isSignedIn: false }, complaints)
  await signIn(page)
  await page.locator('.tiles').waitFor()
  const tenant = { name: 'Acme', slug: 'acme', domain: 'a.example', timezone: 'UTC', max_extensions: 5 }
  await page.request.post(`${url}/api/tenants`, { data: { ...tenant, status: 'active' } })

  await page.goto(`${url}/import?into=cdrs&tenant=1`)
  await page
    .getByLabel('File: CSV, NDJSON or JSON')
    .setInputFiles({ name: 'calls.csv', mimeType: 'text/csv', buffer: Buffer.from(file()) })
  await page.getByRole('button', { name: 'Import', exact: true }).and(page.locator(':enabled')).click()
  await page.waitForURL(/job=/)
  const job = new URL(page.url()).searchParams.get('job')
  for (let rows = 0; rows < CALLS / 5; )
    rows = (await (await page.request.get(`${url}/api/console/jobs/${job}`)).json()).data.progress.rows
  await daemon.stop('SIGKILL')
  await page.getByText('The service cannot be reached.').waitFor()
  daemon = await startDaemon({ ...account, TRUNKLINE_PORT: new URL(url).port }, '--db', db)

  await page.getByText('Interrupted').first().waitFor()
  await page.getByRole('button', { name: 'Go on where it stopped' }).click()
  await page
    .getByText(`${CALLS.toLocaleString('en')} created`)
    .first()
    .waitFor({ timeout: 60_000 })
  await daemon.stop()
  assert.deepEqual(await storedIn(db), { calls: CALLS, different: CALLS })
  assert.deepEqual(complaints, [])
})
