import assert from 'node:assert/strict'
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'
import { type Desk, openDesk } from '../../support/imports.ts'

let desk: Desk
let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(async () => {
  await desk.close()
  folder.remove()
})

it('an export is printed as --output says; a file is what it is called, and --format what it says', async () => {
  desk = openDesk({ output: 'ndjson' })
  await desk.create('tenants', { slug: 'acme' })
  const out = join(folder.path, 'tenants.csv')
  await desk.give('tenants', ['--out', out])
  assert.match(readFileSync(out, 'utf8'), /^name,slug,/)
  assert.equal(JSON.parse(await desk.give('tenants')).slug, 'acme')
  assert.match(await desk.give('tenants', ['--format', 'csv']), /^name,slug,/)
})

it('an export to a link goes to the file that it points to', async () => {
  desk = openDesk()
  const [file, link] = [join(folder.path, 'october.csv'), join(folder.path, 'latest.csv')]
  writeFileSync(file, '')
  symlinkSync('october.csv', link)
  await desk.give('tenants', ['--out', link])
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.match(readFileSync(file, 'utf8'), /^name,slug,/)
})
