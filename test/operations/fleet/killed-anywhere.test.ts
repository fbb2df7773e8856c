import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DaemonProcess } from '../../support/daemon.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { type OwnServer, startOwnServer } from '../../support/postgres/server.ts'
import { assertKept, createTenant, login, post, startFleet, startMember, type Told, valuesIn } from './fleet.ts'
import { changing, feeding, importing, messaging } from './load.ts'

const folder = temporaryFolder()
const feed = join(folder.path, 'calls.ndjson')
const SETTINGS = {
  TRUNKLINE_FEEDS: JSON.stringify([{ format: 'ndjson', path: feed, every: 0.05 }]),
  // A receipt waits for its message only while that is being sent: no send is given up because the server is away.
  TRUNKLINE_GATEWAY_TIMEOUT: '60',
}

let server: OwnServer
let db: string
const fleet = new Map<number, DaemonProcess>()
const alive = (): DaemonProcess[] => [...fleet.values()]
before(async () => {
  // Killed with its data on disk, as on a machine that crashes.
  server = await startOwnServer({ settings: ['shared_buffers=64MB'] })
  await valuesIn(server.address('postgres'), `CREATE DATABASE kept TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
  db = server.address('kept')
  for (const [n, daemon] of (await startFleet(db, 3, SETTINGS)).entries()) fleet.set(n, daemon)
  await createTenant(db, 'acme')
})
after(async () => {
  await Promise.all(alive().map(daemon => daemon.stop('SIGKILL')))
  await server.stop()
  folder.remove()
})

const between = (least: number, most: number): number => least + Math.floor(Math.random() * (most - least))
const oneOf = <T>(all: readonly T[]): T | undefined => all[between(0, all.length)]

/** What is killed with SIGKILL, and is back when the promise resolves. */
const VICTIMS: Readonly<Record<string, () => Promise<void>>> = {
  ...Object.fromEntries(
    [0, 1, 2].map(n => [
      `daemon ${n}`,
      async () => {
        const daemon = fleet.get(n)
        fleet.delete(n)
        await daemon?.stop('SIGKILL')
        await pause(between(0, 500))
        fleet.set(n, await startMember(db, SETTINGS))
      },
    ]),
  ),
  'the server': async () => {
    await server.kill()
    await pause(between(0, 1_000))
    await server.restart()
  },
  'a process of the server': async () => {
    const processes = await valuesIn(db, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    try {
      process.kill(Number(oneOf(processes)), 'SIGKILL')
    } catch {
      // It has just ended.
    }
  },
  'all connections': async () => {
    await valuesIn(
      db,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
  },
}

async function untilReady(): Promise<void> {
  const isReady = async ({ url, logged }: DaemonProcess): Promise<boolean> => {
    try {
      return (await fetch(`${url}/readyz`)).status === 200
    } catch (error) {
      throw new Error(`${url} does not answer; it has logged: ${logged.slice(-40).join('\n')}`, { cause: error })
    }
  }
  while (!(await Promise.all(alive().map(isReady))).every(Boolean)) await pause(20)
}

/** Each of them once, and some twice, in an order of its own in each run. */
function plan(): string[] {
  const names = Object.keys(VICTIMS)
  const all = [...names, 'the server', 'a process of the server', oneOf(names) ?? '']
  return all
    .map(name => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name)
}

it('any process of three daemons and a server, killed at any moment under mixed load, loses nothing acknowledged', {
  timeout: 300_000,
}, async t => {
  const ending = new AbortController()
  const told: Told = { acknowledged: new Set(), unknown: new Set() }
  const cookie = await login(alive()[0]?.url ?? '')
  const urls = (): string[] => alive().map(({ url }) => url)
  const posts = ['71', '72'].map(client => post(urls, { cookie, client, told }, ending.signal))
  const loads = [
    feeding(feed, ending.signal),
    changing(alive, cookie, ending.signal),
    await messaging(alive, cookie, ending.signal),
    importing(alive, cookie, ending.signal),
  ]
  const working = Promise.all([...posts, ...loads.map(({ done }) => done)])
  working.catch(() => ending.abort())
  const goOn = async (): Promise<void> => {
    const [goal, ...goals] = [told.acknowledged.size + 20, ...loads.slice(0, 3).map(load => load.acknowledged() + 5)]
    const isPast = (): boolean =>
      told.acknowledged.size >= goal && goals.every((least, n) => (loads[n]?.acknowledged() ?? 0) >= least)
    while (!isPast() && !ending.signal.aborted) await pause(10)
  }
  const killed = plan()
  t.diagnostic(killed.join(', '))
  for (const victim of killed) {
    await goOn()
    await pause(between(0, 300))
    await VICTIMS[victim]?.()
    await untilReady()
  }
  await goOn()
  ending.abort()
  await working
  await assertKept(db, told, '7')
  for (const load of loads) await load.assertKept(db)
  t.diagnostic(`acknowledged: ${[told.acknowledged.size, ...loads.map(load => load.acknowledged())].join(', ')}`)
  assert.ok(loads.every(load => load.acknowledged() > 0))
})
