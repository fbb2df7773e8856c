import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { unbuilt, type Workplace, workplace } from '../support/cli/cli.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { allowDumps, noDumps } from '../support/storages.ts'

let place: Workplace
let daemon: DaemonProcess
before(async () => {
  place = workplace()
  await place.ready
  await allowDumps(place.folder)
  daemon = await startDaemon({
    TRUNKLINE_DB: place.db,
    TRUNKLINE_ADMIN_EMAIL: 'admin@example.com',
    TRUNKLINE_ADMIN_PASSWORD: 'correct horse',
  })
})
after(async () => {
  await daemon.stop()
  place.remove()
})

const login = (password: string) =>
  fetch(`${daemon.url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@example.com', password }),
  })

it('logs each entry of the security trail as a line, including those of the command line', {
  skip: unbuilt,
  timeout: 60_000,
}, async () => {
  await login('wrong')
  const { level, at: _, ...failed } = JSON.parse(await daemon.untilLogged('"security":"login-failed"'))
  assert.equal(level, 40)
  assert.deepEqual(
    [failed.actor, failed.origin, failed.resource, failed.record, failed.name],
    ['admin@example.com', '127.0.0.1', 'accounts', 1, 'admin@example.com'],
  )
  await login('correct horse')
  assert.equal(JSON.parse(await daemon.untilLogged('"security":"login"')).level, 30)
  if (!noDumps) {
    await place.done(`trunkline db backup ${place.path('copy.db')}`)
    const backup = JSON.parse(await daemon.untilLogged('"security":"backup"'))
    assert.equal(backup.file, place.path('copy.db'))
  }
  assert.match(await daemon.untilLogged('"resource":"accounts"'), /"security":"create"/)
})
