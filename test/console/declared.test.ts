import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startDaemonOf } from '../support/daemon.ts'
import { ADMIN, temporaryFolder } from '../support/http/app.ts'
import { launchBrowser, openPage, signIn } from './support/console.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = ['adapters', 'bin', 'config', 'core', 'package.json', 'package-lock.json']

function change(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(from), path)
  writeFileSync(path, text.replace(from, to))
}

/** Builds the programs of a copy in which queues have one more field: a line of the declaration, and a migration. */
async function buildWithNickname(folder: string): Promise<string> {
  for (const name of SOURCES) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const declared = "nickname: text(50, { optional: true, examples: ['Night desk'] }),"
  change(join(folder, 'core/resources/queues.ts'), '    status:', `    ${declared}\n    status:`)
  const migration = "'ALTER TABLE queues ADD COLUMN nickname TEXT',"
  change(join(folder, 'adapters/sqlite/database/migrate.ts'), '\n]\n', `\n  ${migration}\n]\n`)
  await promisify(execFile)(process.execPath, [join(folder, 'config/build/build.mjs')])
  return join(folder, 'dist/bin/trunklined.js')
}

test('a field that is added to a declaration is in the form, the list and the filters after a build', async t => {
  const folder = temporaryFolder()
  t.after(() => folder.remove())
  const account = { TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password }
  const program = await buildWithNickname(folder.path)
  const daemon = await startDaemonOf(program, account, '--db', join(folder.path, 'trunkline.db'))
  t.after(() => daemon.stop())
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const complaints: string[] = []
  const page = await openPage(browser, { url: daemon.url, session: '' }, '/', { isSignedIn: false }, complaints)
  await signIn(page)
  await page.locator('.tiles').waitFor()
  const tenant = {
    name: 'Acme',
    slug: 'acme',
    domain: 'a.example',
    timezone: 'UTC',
    max_extensions: 5,
    status: 'active',
  }
  await page.request.post(`${daemon.url}/api/tenants`, { data: tenant })

  await page.goto(`${daemon.url}/queues/new?tenant_id=1`)
  await page.getByText('For example Night desk').waitFor()
  const values = { name: 'Support', queue_number: '800', strategy: 'ringall', timeout: '30', status: 'active' }
  for (const [name, value] of Object.entries({ ...values, nickname: 'Owls' }))
    await page.locator(`form.record [name="${name}"]`).fill(value)
  await page.getByRole('button', { name: 'Create queue' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor()

  await page.goto(`${daemon.url}/queues`)
  await page.getByRole('columnheader', { name: 'Nickname' }).waitFor()
  await page.getByRole('cell', { name: 'Owls' }).waitFor()
  await page.getByLabel('Add a filter').selectOption('Nickname')
  const filter = page.locator('.filters').getByLabel('Nickname', { exact: true })
  await filter.fill('Larks')
  await filter.press('Tab')
  await page.getByText('No queue matches.').waitFor()
  await filter.fill('Owls')
  await filter.press('Tab')
  await page.getByRole('cell', { name: 'Owls' }).waitFor()
  assert.deepEqual(complaints, [])
})
