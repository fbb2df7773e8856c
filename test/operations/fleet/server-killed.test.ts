import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DaemonProcess } from '../../support/daemon.ts'
import { ended } from '../../support/http/jobs.ts'
import { sendPart, uploaded } from '../../support/http/transfers.ts'
import { type OwnServer, startOwnServer } from '../../support/postgres/server.ts'
import { browser, calls, storedBy, untilRows } from './browser.ts'
import { createTenant, login, startFleet, valuesIn } from './fleet.ts'

let server: OwnServer
let db: string
let fleet: DaemonProcess[] = []
before(async () => {
  // Killed with its data on disk, as on a machine that crashes.
  server = await startOwnServer({ settings: ['shared_buffers=64MB'] })
  await valuesIn(
    server.address('postgres'),
    `CREATE DATABASE killed TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`,
  )
  db = server.address('killed')
  fleet = await startFleet(db, 2)
  await createTenant(db, 'acme')
})
after(async () => {
  await Promise.all(fleet.map(daemon => daemon.stop('SIGKILL')))
  await server.stop()
})

/** The statuses of /readyz of all daemons. */
const readiness = (): Promise<number[]> =>
  Promise.all(fleet.map(async ({ url }) => (await fetch(`${url}/readyz`)).status))

async function untilReadiness(status: number): Promise<void> {
  while (!(await readiness()).every(each => each === status)) await pause(50)
}

it('a server that is killed keeps what it has of an upload, and ends the jobs that run, which are resumed', {
  timeout: 120_000,
}, async () => {
  const desk = browser(() => fleet, await login(fleet[0]?.url ?? ''))
  const count = 60_000
  const text = calls(count, '83')
  const half = Buffer.from(text).subarray(0, 1_000_000)
  const { data: begun } = (await desk.ask('POST', '/api/console/uploads', { name: 'b.csv', bytes: 2_000_000 })).json
  assert.equal((await sendPart(desk, begun.id, 0, half)).status, 200)
  const upload = await uploaded(desk, text, 'calls.csv')
  const { id } = (await desk.ask('POST', '/api/console/imports/cdrs', { upload, tenant: 1 })).json.data
  for (const end of ['server', 'backends'] as const) {
    const { rows } = (await desk.ask('GET', `/api/console/jobs/${id}`)).json.data.progress
    await untilRows(desk, id, rows + 1)
    if (end === 'server') {
      await server.kill()
      await untilReadiness(503)
      await server.restart()
    } else await terminateAll()
    await untilReadiness(200)
    const left = await ended(desk.ask, id)
    assert.deepEqual([left.state, left.can_resume], ['interrupted', true], JSON.stringify(left))
    assert.equal((await desk.ask('POST', `/api/console/jobs/${id}/resume`)).status, 200)
  }
  const done = await ended(desk.ask, id)
  assert.deepEqual([done.state, done.outcome?.created], ['done', count], JSON.stringify(done))
  assert.deepEqual(await storedBy(db, '83'), [`${count} ${count}`])
  assert.equal((await desk.ask('GET', `/api/console/uploads/${begun.id}`)).json.data.offset, half.length)
})

const terminateAll = (): Promise<string[]> =>
  valuesIn(
    db,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
