import assert from 'node:assert/strict'
import { Agent, get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { LOCK } from '../../adapters/postgres/database/migrate.ts'
import { clientConfig } from '../../adapters/postgres/database/options.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { newDatabase } from '../support/postgres/databases.ts'
import { valuesIn } from './fleet/fleet.ts'

const folder = temporaryFolder()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
after(() => {
  agent.destroy()
  folder.remove()
})

interface Answer {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly message: string
}

/** Over the one connection that the agent keeps. */
async function ask({ url }: DaemonProcess, path: string): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}${path}`, { agent }, resolve).once('error', reject)
  })
  const { message } = JSON.parse(await text(response))
  return { status: response.statusCode, connection: response.headers.connection, message }
}

const start = (seconds: string) =>
  startDaemon({ TRUNKLINE_DB: join(folder.path, 'test.db'), TRUNKLINE_DRAIN_SECONDS: seconds })

describe('a daemon that drains', { timeout: 60_000 }, () => {
  it('answers on old and new connections and ends each, while it is not ready', async () => {
    const daemon = await start('300')
    assert.deepEqual(await ask(daemon, '/readyz'), { status: 200, connection: 'keep-alive', message: 'Ready.' })
    const ended = daemon.stop()
    for (;;) {
      const { status, connection, message } = await ask(daemon, '/readyz')
      if (status === 200) continue
      assert.deepEqual([status, connection, message], [503, 'close', 'The daemon is stopping.'])
      break
    }
    for (let request = 0; request < 3; request++)
      assert.deepEqual(await ask(daemon, '/healthz'), { status: 200, connection: 'close', message: 'Alive.' })
    await daemon.stop()
    assert.equal((await ended).code, 1)
  })

  it('stops after that time', async () => {
    const daemon = await start('0.1')
    assert.equal((await daemon.stop()).code, 0)
    await assert.rejects(ask(daemon, '/healthz'), { code: 'ECONNREFUSED' })
  })
})

describe('a daemon that starts', { timeout: 60_000 }, () => {
  it('refuses connections until it can answer, so that balancers ask another one', async () => {
    const db = await newDatabase()
    const holder = new Client(clientConfig(db))
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const port = await freePort()
    const starting = startDaemon({ TRUNKLINE_DB: db, TRUNKLINE_PORT: port })
    while ((await valuesIn(db, 'SELECT pid FROM pg_locks WHERE NOT granted')).length === 0) await pause(20)
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`), ({ cause }) => cause.code === 'ECONNREFUSED')
    await holder.query('ROLLBACK')
    await holder.end()
    const daemon = await starting
    assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
    await daemon.stop()
  })
})

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' ? String(address?.port) : ''
}
