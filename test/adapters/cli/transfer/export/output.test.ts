import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, it } from 'node:test'
import { openOutput } from '../../../../../adapters/cli/transfer/export/output.ts'
import { Sqlite } from '../../../../../adapters/sqlite/database/driver.ts'
import { temporaryFolder } from '../../../../support/http/app.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

it('an export replaces a file on request, and never a database', async () => {
  const [old, database] = [join(folder.path, 'old.csv'), join(folder.path, 'copy.db')]
  writeFileSync(old, 'x')
  const isThere = { exitCode: 73, message: `${old} already exists; --force overwrites it` }
  assert.throws(() => openOutput(old, new PassThrough(), false), isThere)
  assert.deepEqual([readdirSync(folder.path), readFileSync(old, 'utf8')], [['old.csv'], 'x'])
  const output = openOutput(old, new PassThrough(), true)
  await output.write('y')
  await output.end()
  assert.equal(readFileSync(old, 'utf8'), 'y')
  new Sqlite(database).exec('CREATE TABLE other (id)').close()
  assert.throws(() => openOutput(database, new PassThrough(), true), {
    exitCode: 73,
    message: /copy\.db: it is a database/,
  })
})

it('an export to a link goes to the file that it points to', async () => {
  const [file, link] = [join(folder.path, 'october.csv'), join(folder.path, 'latest.csv')]
  writeFileSync(file, 'x')
  symlinkSync('october.csv', link)
  const output = openOutput(link, new PassThrough(), true)
  await output.write('y')
  await output.end()
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.equal(readFileSync(file, 'utf8'), 'y')
})

it('an export that cannot be put at its path says why, and leaves nothing behind', async () => {
  const path = join(folder.path, 'out.csv')
  const output = openOutput(path, new PassThrough(), true)
  await output.write('a')
  mkdirSync(path)
  await assert.rejects(output.end(), { code: 'EISDIR' })
  output.discard()
  assert.deepEqual(readdirSync(folder.path), ['out.csv'])
})

it('an export does not replace a file created meanwhile', async () => {
  const path = join(folder.path, 'out.csv')
  const output = openOutput(path, new PassThrough(), false)
  await output.write('a')
  writeFileSync(path, 'theirs')
  await assert.rejects(output.end(), { exitCode: 73, message: /out\.csv already exists/ })
  output.discard()
  assert.equal(readFileSync(path, 'utf8'), 'theirs')
  const other = openOutput(join(folder.path, 'other.csv'), new PassThrough(), false)
  await other.write('a')
  await other.end()
  assert.deepEqual(readdirSync(folder.path).sort(), ['other.csv', 'out.csv'])
})
