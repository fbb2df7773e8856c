import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { bundled } from '../../support/bundled.ts'
import { outcomeOf, type Workplace, workplace } from '../../support/cli/cli.ts'
import { startDaemon } from '../../support/daemon.ts'

const SOMEONE_ELSE = new URL('../../support/someone-else.ts', import.meta.url)

let place: Workplace
let someoneElse: string
before(async () => {
  someoneElse = await bundled(SOMEONE_ELSE)
  place = workplace()
  await place.done('trunkline init --email a@example.com --random-password')
  chmodSync(place.folder, 0o755)
})
after(() => place.remove())

/** Runs a command line as a user who owns nothing here. */
function asSomeoneElse(env: Readonly<Record<string, string>>, ...line: readonly string[]) {
  const args = [someoneElse, place.db, JSON.stringify(env), ...line]
  return outcomeOf(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }))
}

const skip = process.getuid?.() === 0 ? false : 'only root can become someone else'

describe('a database', { skip }, () => {
  it('that belongs to someone else ends with 77, and is not taken for missing where its folder is closed', async () => {
    mkdirSync(place.path('private'), { mode: 0o700 })
    copyFileSync(place.db, place.path('private/theirs.db'))
    for (const file of ['trunkline.db', 'private/theirs.db']) {
      const { code, stderr } = await asSomeoneElse({ TRUNKLINE_DB: place.path(file) }, 'tenant', 'list')
      assert.equal(code, 77, stderr)
      assert.match(
        stderr,
        /^error: \S+\.db cannot be opened for writing by this user; check who owns it and its folder\.\n/,
      )
      assert.ok(stderr.endsWith(`\nhint: sudo TRUNKLINE_DB=${place.path(file)} trunkline tenant list\n`), stderr)
    }
  })

  it('in a folder of someone else is theirs when root makes it, with all that is beside it', async t => {
    const folder = place.path('service')
    mkdirSync(folder)
    chownSync(folder, 65_534, 65_534)
    const db = join(folder, 'trunkline.db')
    await place.done(`trunkline --db ${db} init --email a@example.com --random-password`)
    const daemon = await startDaemon({ TRUNKLINE_DB: db })
    t.after(() => daemon.stop())
    await place.done(`trunkline --db ${db} admin create b@example.com --random-password`)
    const files = readdirSync(folder)
    assert.deepEqual(files.sort(), ['trunkline.db', 'trunkline.db-lock', 'trunkline.db-shm', 'trunkline.db-wal'])
    for (const file of files) assert.equal(statSync(join(folder, file)).uid, 65_534, file)
  })
})

describe('settings', { skip }, () => {
  it('whose file this user may not read end with 77, with a hint for one who may', async () => {
    const file = place.path('closed.json')
    writeFileSync(file, '{}', { mode: 0o600 })
    assert.deepEqual(await asSomeoneElse({ TRUNKLINE_CONFIG: file }, 'tenant', 'list'), {
      code: 77,
      signal: null,
      stdout: '',
      stderr: `error: The settings file ${file} cannot be read by this user.\nhint: sudo TRUNKLINE_CONFIG=${file} trunkline tenant list\n`,
    })
  })
})
