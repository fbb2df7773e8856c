import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { temporaryFolder } from '../support/http/app.ts'

/** Makes the thread of the lookups do something as soon as somebody connects to a socket. */
const preload = (socket: string, does: string): string => `
  import { createServer } from 'node:net'
  import { isMainThread, workerData } from 'node:worker_threads'
  if (!isMainThread && workerData.token !== undefined)
    createServer(() => { ${does} }).listen(${JSON.stringify(socket)})
`

describe('the thread that answers FreeSWITCH', () => {
  const folder = temporaryFolder()
  after(() => folder.remove())

  /** Starts a daemon whose thread then does that. */
  async function whoseThread(name: string, does: string): Promise<DaemonProcess> {
    const path = join(folder.path, name)
    mkdirSync(path)
    const [program, settings, socket] = ['preload.mjs', 'trunkline.json', 'socket'].map(each => join(path, each))
    assert.ok(program && settings && socket)
    writeFileSync(program, preload(socket, does))
    // Nothing listens at the event socket.
    const freeswitch = { token: 'a-token-of-the-tests', event_socket: { port: 9, password: 'unused' } }
    writeFileSync(settings, JSON.stringify({ freeswitch }))
    const daemon = await startDaemon({
      ...{ TRUNKLINE_DB: join(path, 'test.db'), TRUNKLINE_CONFIG: settings },
      ...{ TRUNKLINE_ADMIN_EMAIL: 'admin@example.com', TRUNKLINE_ADMIN_PASSWORD: 'a password of the tests' },
      NODE_OPTIONS: `--import ${pathToFileURL(program)}`,
    })
    const connected = connect(socket)
    await once(connected, 'connect')
    connected.on('error', () => {}).unref()
    return daemon
  }

  test('ends the daemon with 1 if it dies, so that whoever supervises the daemon starts it again', async () => {
    const daemon = await whoseThread('dies', `throw new Error('a bug of the tests')`)
    const line = await daemon.untilLogged('the thread that answers the switch has ended')
    assert.match(line, /a bug of the tests/)
    assert.equal((await daemon.stop()).code, 1)
  })

  test('does not keep the daemon from stopping if it hangs', async () => {
    const daemon = await whoseThread('hangs', 'for (;;);')
    const { code, stderr } = await daemon.stop()
    assert.equal(code, 0)
    assert.match(stderr, /the thread that answers the switch does not end: it is stopped/)
  })
})
