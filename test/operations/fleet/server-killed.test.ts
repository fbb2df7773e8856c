import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DaemonProcess } from '../../support/daemon.ts'
import { ndjsonRow } from '../../support/data/switch.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { ended } from '../../support/http/jobs.ts'
import { sendPart, uploaded } from '../../support/http/transfers.ts'
import { type OwnServer, startOwnServer } from '../../support/postgres/server.ts'
import { browser, calls, storedBy, untilRows } from './browser.ts'
import { assertKept, createTenant, login, post, startFleet, type Told, valuesIn } from './fleet.ts'

const folder = temporaryFolder()
const feed = join(folder.path, 'calls.ndjson')

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
  fleet = await startFleet(db, 2, { TRUNKLINE_FEEDS: JSON.stringify([{ format: 'ndjson', path: feed, every: 0.05 }]) })
  await createTenant(db, 'acme')
})
after(async () => {
  await Promise.all(fleet.map(daemon => daemon.stop('SIGKILL')))
  await server.stop()
  folder.remove()
})

/** The statuses of /readyz of all daemons. */
const readiness = (): Promise<number[]> =>
  Promise.all(fleet.map(async ({ url }) => (await fetch(`${url}/readyz`)).status))

async function untilReadiness(status: number): Promise<void> {
  while (!(await readiness()).every(each => each === status)) await pause(50)
}

it('a server that is killed and started again under load loses nothing that was acknowledged', {
  timeout: 120_000,
}, async () => {
  const ending = new AbortController()
  const told: Told = { acknowledged: new Set(), unknown: new Set() }
  const cookie = await login(fleet[0]?.url ?? '')
  const urls = (): string[] => fleet.map(({ url }) => url)
  const clients = ['71', '72', '73', '74'].map(client => post(urls, { cookie, client, told }, ending.signal))
  let rows = 0
  const feeding = (async () => {
    while (!ending.signal.aborted) {
      appendFileSync(feed, ndjsonRow({ id: `feed-${rows++}`, from: '101' }))
      await pause(5)
    }
  })()
  const more = async (): Promise<void> => {
    const goal = told.acknowledged.size + 50
    while (told.acknowledged.size < goal) await pause(10)
  }
  for (const end of ['server', 'server', 'backends'] as const) {
    await more()
    if (end === 'backends') {
      await terminateAll()
    } else {
      await server.kill()
      await untilReadiness(503)
      await server.restart()
    }
    await untilReadiness(200)
  }
  await more()
  ending.abort()
  await Promise.all([...clients, feeding])
  while (Number((await valuesIn(db, 'SELECT count(*) FROM cdr_ratings'))[0]) < rows) await pause(50)
  assert.deepEqual(await valuesIn(db, 'SELECT count(*) FROM cdr_ratings'), [String(rows)])
  await assertKept(db, told, '7')
})

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
