import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { outcomeOf } from './support/cli/cli.ts'
import { temporaryFolder } from './support/http/app.ts'

const FAILING = `
  import assert from 'node:assert/strict'
  import { createServer } from 'node:http'
  import { test } from 'node:test'
  test('fails before it closes its server', () => {
    createServer().listen(0)
    assert.fail('an error of its own')
  })
`

test('a file whose test fails ends with the error of that test, though it has left something open', async t => {
  const { path, remove } = temporaryFolder()
  t.after(remove)
  const file = join(path, 'failing.mjs')
  writeFileSync(file, FAILING)
  const ending = `--import=${new URL('support/end-failed.mjs', import.meta.url).href}`
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const flags = [ending, '--test', '--test-timeout=60000', '--test-reporter=spec']
  const { code, stdout } = await outcomeOf(spawn(process.execPath, [...flags, file], { env }))
  assert.equal(code, 1)
  assert.match(stdout, /✖ fails before it closes its server[\s\S]*an error of its own/)
  assert.doesNotMatch(stdout, /timed out/)
})
