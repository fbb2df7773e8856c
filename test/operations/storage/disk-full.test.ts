import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { manualClock } from '../../support/clock.ts'
import { runDaemon } from '../../support/daemon.ts'
import { startWorld } from '../../support/data/records.ts'
import { sqliteOf } from '../../support/data/stored.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { me } from '../../support/http/sessions.ts'

const SIZE = 12 * 1024 * 1024

const folder = temporaryFolder()
const disk = join(folder.path, 'disk')

/** A separate disk, small enough for a test to fill. */
function whyNoDisk(): string | false {
  mkdirSync(disk)
  const { error, status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk], {
    encoding: 'utf8',
  })
  if (error) return 'there is no mount'
  return status === 0 ? false : `a tmpfs cannot be mounted: ${stderr.trim()}`
}

const skip = whyNoDisk()
after(() => {
  if (!skip) spawnSync('umount', ['--lazy', disk])
  folder.remove()
})

const ballast = join(disk, 'ballast')

/** Fills the disk to the last byte. */
function fill(): void {
  const file = openSync(ballast, 'a')
  const piece = Buffer.alloc(4096)
  try {
    for (;;) if (writeSync(file, piece) < piece.length) return
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOSPC', String(error))
  } finally {
    closeSync(file)
  }
}

describe('a full disk', { skip, timeout: 30_000 }, () => {
  it('is a 507 for writes and nothing for reads, is reported by /readyz, and ends once there is space', async () => {
    const clock = manualClock()
    const world = await startWorld({ db: join(disk, 'trunkline.db') }, { clock })
    const description = 'x'.repeat(200)
    const write = () => world.send('POST', '/api/dids', world.body('dids', { description }))
    assert.equal((await world.get('/readyz')).status, 200)
    const acknowledged: number[] = []
    for (let n = 0; n < 50; n++) acknowledged.push((await world.create('dids')).id)
    fill()
    let refused = await write()
    for (; refused.status === 201; refused = await write()) acknowledged.push(refused.json.data.id)
    assert.equal(refused.status, 507)
    assert.equal(refused.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(refused.json, { message: 'The disk is full; nothing was stored.' })
    assert.equal((await write()).status, 507)

    // So late that the session must be extended, which is a write.
    clock.advance(3_600)
    const list = await world.get('/api/dids')
    assert.equal(list.status, 200)
    const ids: number[] = list.json.data.map(({ id }: { id: number }) => id)
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      acknowledged,
    )
    assert.equal((await world.get('/healthz')).status, 200)

    rmSync(ballast)
    const stored = await write()
    assert.equal(stored.status, 201)
    const after = await world.get('/api/dids')
    assert.equal(after.json.data.length, acknowledged.length + 1)
    assert.deepEqual(await world.service.trunkline.storage.maintenance.check(), [])
    await world.close()
  })

  it('prevents nobody from logging out', async () => {
    const world = await startWorld({ db: join(disk, 'logout.db') })
    const { service, session } = world
    fill()
    while ((await world.send('POST', '/api/dids', world.body('dids'))).status === 201);
    const { status, json } = await world.send('POST', '/api/admin/logout')
    assert.deepEqual([status, json], [200, { message: 'Logged out successfully.' }])
    assert.equal(await me(service, session), 401)
    const { connection } = sqliteOf(service.trunkline.storage)
    const stored = () => connection.value<[], number>('SELECT count(*) FROM sessions').get()
    assert.equal(stored(), 1)
    rmSync(ballast)
    await service.trunkline.signIn.forgetExpired()
    assert.equal(stored(), 0)
    assert.equal(await me(service, session), 401)
    await world.close()
  })

  it('is reported by /readyz, with what is wrong', async () => {
    const world = await startWorld({ db: join(disk, 'ready.db') })
    fill()
    while ((await world.send('POST', '/api/dids', world.body('dids'))).status === 201);
    const ready = await world.get('/readyz')
    assert.equal(ready.status, 503)
    assert.deepEqual(ready.json, {
      message: 'The database cannot be written. The disk is full; nothing was stored.',
    })
    rmSync(ballast)
    await world.close()
  })

  it('does not end the daemon when its log has no space', async () => {
    const log = openSync(join(disk, 'log'), 'w')
    fill()
    const env = { PATH: process.env.PATH ?? '', TRUNKLINE_DB: join(folder.path, 'logging.db'), TRUNKLINE_PORT: '0' }
    const daemon = spawn(process.execPath, ['dist/bin/trunklined.js', '--metrics-port', '0'], {
      env,
      stdio: ['ignore', 'pipe', log],
    })
    closeSync(log)
    const ended = once(daemon, 'exit')
    let url: string | undefined
    assert.ok(daemon.stdout)
    for await (const line of createInterface(daemon.stdout)) {
      url = /listening on (\S+)/.exec(line)?.[1]
      if (url) break
    }
    for (let n = 0; n < 20; n++) assert.equal((await fetch(`${url}/healthz`)).status, 200)
    rmSync(ballast)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    daemon.kill()
    assert.deepEqual(await ended, [0, null])
    assert.match(readFileSync(join(disk, 'log'), 'utf8'), /"msg":"stopped"/)
  })

  it('ends a failed start with 75, so that the service manager retries; problems that a restart cannot fix end with another code', async () => {
    fill()
    const { code, stderr } = await runDaemon({ TRUNKLINE_DB: join(disk, 'new.db') })
    assert.equal(code, 75, stderr)
    assert.match(stderr, /The disk is full/)
    rmSync(ballast)
  })

  it('does not prevent the daemon from stopping', async () => {
    const world = await startWorld({ db: join(disk, 'stopped.db') })
    for (let n = 0; n < 100; n++) await world.create('dids')
    fill()
    await world.close()
    rmSync(ballast)
  })
})
