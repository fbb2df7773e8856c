import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DaemonProcess } from '../../support/daemon.ts'
import { ndjsonRow } from '../../support/data/switch.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { newDatabase } from '../../support/postgres/databases.ts'
import {
  ADMIN,
  assertKept,
  createTenant,
  login,
  post,
  request,
  startFleet,
  startMember,
  type Told,
  valuesIn,
} from './fleet.ts'

const folder = temporaryFolder()
const feed = join(folder.path, 'calls.ndjson')
const FEEDS = { TRUNKLINE_FEEDS: JSON.stringify([{ format: 'ndjson', path: feed, every: 0.05 }]) }
const FOLLOWS = `"duty":"feed ${feed}","msg":"this daemon has the duty"`

let db: string
let fleet: DaemonProcess[] = []
before(async () => {
  db = await newDatabase()
  fleet = await startFleet(db, 3, FEEDS)
  await createTenant(db, 'acme')
})
after(async () => {
  await Promise.all(fleet.map(daemon => daemon.stop('SIGKILL')))
  folder.remove()
})

const urlOf = (n: number): string => fleet[n]?.url ?? ''

/** Resolves with the number of the daemon, of these, that has the feed next. */
async function follower(among: readonly number[]): Promise<number> {
  for (;;) {
    const found = among.find(n => fleet[n]?.logged.some(line => line.includes(FOLLOWS)))
    if (found !== undefined) return found
    await pause(10)
  }
}

const OTHER = {
  ...{ name: 'Other', slug: 'other', domain: 'other.example.com', timezone: 'UTC' },
  ...{ status: 'active', max_extensions: 1 },
}

describe('three daemons on one database', { timeout: 120_000 }, () => {
  it('share sessions, and what one changes holds for the others at once', async () => {
    const cookie = await login(urlOf(0))
    const made = await request(urlOf(1), 'POST', '/api/tenants', { cookie, json: OTHER })
    assert.equal(made.status, 201, JSON.stringify(made))
    const path = `/api/tenants/${made.data['id']}`
    for (const n of [0, 1, 2, 0, 1, 2]) {
      const name = `Changed by ${n}`
      assert.equal((await request(urlOf(n), 'PATCH', path, { cookie, json: { ...OTHER, name } })).status, 200)
      for (const other of [0, 1, 2])
        assert.equal((await request(urlOf(other), 'GET', path, { cookie })).data['name'], name)
    }
    assert.equal((await request(urlOf(2), 'POST', '/api/admin/logout', { cookie })).status, 200)
    for (const n of [0, 1, 2]) assert.equal((await request(urlOf(n), 'GET', path, { cookie })).status, 401)
  })

  it('count failed logins together', async () => {
    const guess = (n: number, password: string) =>
      request(urlOf(n % 3), 'POST', '/api/admin/login', { json: { email: 'guessed@example.com', password } })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(n, 'wrong')))
    assert.deepEqual(
      [422, 429].map(status => answers.filter(answer => answer.status === status).length),
      [10, 20],
    )
    for (const n of [0, 1, 2]) assert.equal((await guess(n, ADMIN.password)).status, 429)
  })

  it('lose nothing that was acknowledged, and store nothing twice, when one after the other is killed', async () => {
    const ending = new AbortController()
    const told: Told = { acknowledged: new Set(), unknown: new Set() }
    const alive = new Set([0, 1, 2])
    const urls = (): string[] => [...alive].map(urlOf)
    const cookie = await login(urlOf(0))
    const clients = ['71', '72', '73', '74'].map(client => post(urls, { cookie, client, told }, ending.signal))
    const written = write(ending.signal)
    const commands = command(ending.signal)
    let following = await follower([0, 1, 2])
    for (let kill = 0; kill < 3; kill++) {
      const goal = told.acknowledged.size + 50
      while (told.acknowledged.size < goal) await pause(10)
      const killed = following
      const others = [0, 1, 2].filter(n => n !== killed)
      await fleet[killed]?.stop('SIGKILL')
      alive.delete(killed)
      const since = performance.now()
      following = await follower(others)
      assert.ok(performance.now() - since < 5_000, 'the feed is followed again within 5 s')
      const stored = (await valuesIn(db, `SELECT count(*) FROM cdr_ratings`))[0]
      while ((await valuesIn(db, `SELECT count(*) FROM cdr_ratings`))[0] === stored) await pause(20)
      fleet[killed] = await startMember(db, FEEDS)
      alive.add(killed)
    }
    ending.abort()
    await Promise.all(clients)
    const [rows, created] = await Promise.all([written, commands])
    while (Number((await valuesIn(db, 'SELECT count(*) FROM cdr_ratings'))[0]) < rows) await pause(50)
    assert.equal((await valuesIn(db, 'SELECT count(*) FROM cdr_ratings'))[0], String(rows))
    await assertKept(db, told, '7')
    const slugs = await valuesIn(db, `SELECT slug FROM tenants WHERE slug LIKE 'by-command-%'`)
    assert.deepEqual(slugs.toSorted(), created.toSorted())
  })
})

/** A switch that appends to the feed; returns how many calls. */
async function write(signal: AbortSignal): Promise<number> {
  let rows = 0
  while (!signal.aborted) {
    appendFileSync(feed, ndjsonRow({ id: `feed-${rows++}`, from: '101' }))
    await pause(5)
  }
  return rows
}

/** Somebody at the command line; returns the slugs created. */
async function command(signal: AbortSignal): Promise<string[]> {
  const slugs: string[] = []
  while (!signal.aborted) {
    const slug = `by-command-${slugs.length}`
    await createTenant(db, slug)
    slugs.push(slug)
  }
  return slugs
}
