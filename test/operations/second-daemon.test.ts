import assert from 'node:assert/strict'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type DaemonProcess, runDaemon, startDaemon } from '../support/daemon.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { trunkline } from '../support/programs.ts'

const folder = temporaryFolder()
const running: DaemonProcess[] = []
after(async () => {
  await Promise.all(running.map(daemon => daemon.stop('SIGKILL')))
  folder.remove()
})

const db = join(folder.path, 'test.db')

async function start(...args: string[]): Promise<DaemonProcess> {
  const daemon = await startDaemon({ TRUNKLINE_DB: db }, ...args)
  running.push(daemon)
  return daemon
}

describe('a second daemon on a database that is served', { timeout: 60_000 }, () => {
  it('is refused under any name of the database, and the first one keeps running', async () => {
    const first = await start()
    const link = join(folder.path, 'link.db')
    symlinkSync(db, link)
    for (const path of [db, link]) {
      const { code, stdout, stderr } = await runDaemon({ TRUNKLINE_DB: path, TRUNKLINE_PORT: '0' })
      const [said, hint] = stderr.split('\n')
      assert.deepEqual([code, stdout, hint], [75, '', 'hint: trunkline status'])
      assert.match(said ?? '', /^error: \S+ is already served by another daemon(?: \(process \d+\))?; --force starts/)
      assert.ok(said?.includes(path))
    }
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
    await first.stop()
  })

  it('starts with --force, and the log says what both do', async () => {
    const first = await start()
    const second = await start('--force')
    assert.match((await second.stop()).stderr, /"level":40,.*another daemon serves this database/)
    assert.doesNotMatch((await first.stop()).stderr, /another daemon/)
  })

  it('starts where the first has ended, or was killed', async () => {
    await (await start()).stop()
    await (await start()).stop('SIGKILL')
    const { stderr } = await (await start()).stop()
    assert.doesNotMatch(stderr, /another daemon/)
  })

  it('is reported by status and by doctor where the first listens elsewhere', async () => {
    const first = await start()
    const { stdout } = await trunkline(db, 'status')
    assert.match(stdout, /^daemon {4}down \(\S+\), but one serves this database at another address$/m)
    assert.match((await trunkline(db, 'doctor')).stdout, /a daemon serves this database, but none answers at http/)
    await first.stop('SIGKILL')
    assert.match((await trunkline(db, 'status')).stdout, /^daemon {4}down \(\S+\)$/m)
  })
})

describe('a daemon that cannot have its port', () => {
  it('makes no database', async () => {
    const first = await startDaemon({ TRUNKLINE_DB: join(folder.path, 'other.db') })
    running.push(first)
    const path = join(folder.path, 'new', 'none.db')
    const { code } = await runDaemon({ TRUNKLINE_DB: path, TRUNKLINE_PORT: new URL(first.url).port })
    assert.equal(code, 78)
    assert.equal(existsSync(join(folder.path, 'new')), false)
    await first.stop()
  })
})
