import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { providerPages } from '../../config/build/provider-pages.ts'

const folder = fileURLToPath(new URL('../../docs/providers', import.meta.url))

test('the pages of the providers say what their profiles say; npm run providers writes them', () => {
  const pages = providerPages()
  assert.deepEqual(readdirSync(folder).sort(), [...pages.keys()].sort())
  for (const [name, text] of pages) assert.equal(readFileSync(join(folder, name), 'utf8'), text, name)
})
