import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { openStorage } from '../../../adapters/postgres/storage.ts'
import { unbuilt } from '../../support/cli/cli.ts'
import { manualClock } from '../../support/clock.ts'
import { startDaemon } from '../../support/daemon.ts'
import { insert, listOf } from '../../support/data/rows.ts'
import { columnOf } from '../../support/data/stored.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { isBundled } from '../../support/postgres/binaries.ts'
import { startServer } from '../../support/postgres/server.ts'
import { trunkline } from '../../support/programs.ts'

/** The major version of pg_dump on the path; null without one, which the tests of stand-ins are about. */
function dumpVersion(): string | null {
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  return /(\d+)\.\d+/.exec(stdout ?? '')?.[1] ?? null
}

const version = dumpVersion()

/** Programs that fit a server which can be started here. */
if (version !== null && isBundled(version))
  describe('a dump by the real programs', { timeout: 120_000, skip: unbuilt }, () => {
    it('restores everything that was there, keeps the former tables, and logs everybody out', async t => {
      const server = await startServer(version)
      t.after(() => server.stop())
      const folder = temporaryFolder()
      t.after(folder.remove)
      const administration = new Client(
        server.address('postgres').replace('@/', '@localhost/').replace('&fsync=off', ''),
      )
      await administration.connect()
      await administration.query(`CREATE DATABASE dumped TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
      await administration.end()
      const db = server.address('dumped')
      const clock = manualClock()
      const opened = async <T>(use: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>): Promise<T> => {
        const storage = await openStorage(db, { clock, create: true })
        return use(storage).finally(() => storage.close())
      }
      const [token, account] = ['0'.repeat(64), { name: 'A', email: 'a@example.com', role: 'admin' as const }]
      await opened(async ({ records, accounts, sessions }) => {
        for (const slug of ['one', 'two']) await insert(records, 'tenants', { slug })
        await insert(records, 'cdrs')
        const created = { ...account, passwordHash: '', id: 0 }
        const { id } = await accounts.create(created)
        await sessions.open(token, { ...created, id }, { createdAt: clock.now(), expiresAt: clock.now() })
      })
      const slugs = (): Promise<unknown[]> =>
        opened(async ({ records }) => (await listOf(records, 'tenants')).map(({ slug }) => slug).sort())

      const [first, second] = [join(folder.path, '1.dump'), join(folder.path, '2.dump')]
      const done = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await trunkline(db, ...args)
        assert.equal(code, 0, stderr)
        return stdout
      }
      assert.match(await done('db', 'backup', first), /1\.dump: 0\.\d MB, verified\n$/)
      await opened(({ records }) => insert(records, 'tenants', { slug: 'late' }))

      const daemon = await startDaemon({ TRUNKLINE_DB: db })
      const refused = await trunkline(db, 'db', 'restore', first, '--yes')
      await daemon.stop()
      assert.deepEqual([refused.code, refused.stderr.includes('is in use')], [75, true])
      assert.deepEqual(await slugs(), ['late', 'one', 'two'])

      const kept = /the old database is (before_restore_\d+)\n/.exec(await done('db', 'restore', first, '--yes'))?.[1]
      assert.deepEqual(await slugs(), ['one', 'two'])
      await opened(async storage => {
        const { sessions, accounts, maintenance, records } = storage
        assert.deepEqual([await sessions.find(token), await accounts.count()], [null, 1])
        assert.deepEqual(await maintenance.check(), [])
        assert.equal((await listOf(records, 'cdrs')).length, 1)
        await insert(records, 'tenants', { slug: 'new' })
        assert.deepEqual(await columnOf(storage, `SELECT count(*) FROM ${kept}.tenants`), [3])
      })

      // A dump of what was restored is as good, and lacks the tables that were kept.
      await done('db', 'backup', second)
      await done('db', 'restore', second, '--yes')
      assert.deepEqual(await slugs(), ['new', 'one', 'two'])
    })
  })
