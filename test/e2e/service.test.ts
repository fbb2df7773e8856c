import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { exposedResources } from '../../core/resources/all.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { changed } from '../support/data/reader.ts'
import { sampleBody } from '../support/data/samples.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { json as answerJson, type FakeGateway, MESSAGE, signal, startGateway } from '../support/messaging/gateway.ts'
import { databaseAt, onPostgres } from '../support/storages.ts'

const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }

const folder = temporaryFolder()
let gateway: FakeGateway
before(async () => {
  gateway = await startGateway()
})
after(async () => {
  await gateway.close()
  folder.remove()
})

let databases = 0
const freshDatabase = (): Promise<string> => databaseAt(folder.path, `${++databases}`, 'trunkline.db')

const admin = { TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password }

const call = async (daemon: DaemonProcess, method: string, path: string, json?: unknown, cookie = '') => {
  const headers = { 'content-type': 'application/json', cookie }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(`${daemon.url}${path}`, { method, headers, ...body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: JSON.parse(text) }
}

const login = async (daemon: DaemonProcess, credentials: unknown = ADMIN): Promise<string> => {
  const { status, headers, json } = await call(daemon, 'POST', '/api/admin/login', credentials)
  assert.equal(status, 200, JSON.stringify(json))
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

const pointingAt = (target: FakeGateway) => ({
  server_host: target.host,
  server_port: target.port,
  api_path: 'send',
  use_ssl: false,
})

/** Resolves once the daemon accepts no more connections. */
async function refusal(daemon: DaemonProcess): Promise<void> {
  const { hostname, port } = new URL(daemon.url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const [event] = await Promise.race([
      once(socket, 'connect').then(() => ['taken']),
      once(socket, 'error').then(() => ['refused']),
    ]).catch(() => ['refused'])
    socket.destroy()
    if (event === 'refused') return
  }
}

/** Ends the time that a sender has. */
const makeOverdue = (db: string): Promise<unknown> =>
  changed(db, "UPDATE sms_messages SET deadline_at = '2020-01-01T00:00:00.000000Z'")

describe('the daemon', () => {
  it('does everything, stops cleanly, and has kept everything when it starts again', async () => {
    const TRUNKLINE_DB = await freshDatabase()
    const first = await startDaemon({ TRUNKLINE_DB, ...admin })
    assert.deepEqual(first.printed, [`trunklined listening on ${first.url}`])
    if (!onPostgres) assert.equal(statSync(TRUNKLINE_DB).mode & 0o777, 0o600)
    for (const path of ['/healthz', '/readyz']) assert.equal((await call(first, 'GET', path)).status, 200)
    const session = await login(first)

    const references: Record<string, number> = {}
    const paths: string[] = []
    for (const resource of exposedResources) {
      const body = {
        ...sampleBody(resource, references),
        ...(resource.name === 'sms_gateways' ? pointingAt(gateway) : {}),
      }
      const { status, json } = await call(first, 'POST', `/api/${resource.path}`, body, session)
      assert.equal(status, 201, JSON.stringify(json))
      references[`${resource.name.replace(/s$/, '')}_id`] = json.data.id
      paths.push(`/api/${resource.path}`, `/api/${resource.path}/${json.data.id}`)
    }
    const ofGateway = `/api/sms-gateways/${references.sms_gateway_id}`
    paths.push(`${ofGateway}/messages`)
    gateway.answerWith(200, '{"id":"e2e-1"}')
    const sent = await call(first, 'POST', `${ofGateway}/send`, MESSAGE, session)
    assert.equal(sent.json.data.delivery_status, 'submitted')
    assert.equal(sent.json.data.callback_url, `${first.url}${ofGateway}/dlr`)
    const receipt = await fetch(sent.json.data.callback_url, {
      method: 'POST',
      body: new URLSearchParams({ id: 'e2e-1', message_status: 'DELIVRD' }),
    })
    assert.deepEqual([receipt.status, await receipt.json()], [200, { message: 'DLR received' }])
    const shown = await Promise.all(paths.map(path => call(first, 'GET', path, undefined, session)))
    assert.equal(shown.at(-1)?.json.data[0].delivery_status, 'delivrd')

    const { code, stdout, stderr } = await first.stop()
    assert.equal(code, 0, stderr)
    assert.equal(stdout, `trunklined listening on ${first.url}\n`)
    if (!onPostgres) assert.deepEqual(readdirSync(dirname(TRUNKLINE_DB)), ['trunkline.db', 'trunkline.db-lock'])
    const lines = stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.ok(lines.every(({ level }) => level < 50))
    assert.ok(lines.some(({ route, status }) => route === '/api/sms-gateways/:id/send' && status === 200))
    for (const secret of [ADMIN.password, session.split('=')[1] ?? '', 'DELIVRD']) assert.ok(!stderr.includes(secret))

    const second = await startDaemon({ TRUNKLINE_DB })
    assert.deepEqual(second.printed, [`trunklined listening on ${second.url}`])
    for (const [i, path] of paths.entries()) {
      const { status, json } = await call(second, 'GET', path, undefined, session)
      assert.deepEqual([status, json], [200, shown[i]?.json], path)
    }
    assert.equal((await second.stop('SIGINT')).code, 0)
  })

  it('prints the first account with a random password once, and it works', async () => {
    const TRUNKLINE_DB = await freshDatabase()
    const first = await startDaemon({ TRUNKLINE_DB })
    assert.equal(first.printed.length, 2)
    const [, email, password] = /^first account: (\S+) with password (\S+)$/.exec(first.printed[0] ?? '') ?? []
    assert.ok(password !== undefined && password.length >= 20)
    await login(first, { email, password })
    const { code, stderr } = await first.stop()
    assert.equal(code, 0)
    assert.ok(!stderr.includes(password))
    const second = await startDaemon({ TRUNKLINE_DB, ...admin })
    assert.equal(second.printed.length, 1)
    await login(second, { email, password })
    assert.equal((await call(second, 'POST', '/api/admin/login', ADMIN)).status, 422)
    await second.stop()
  })

  it('finishes a slow send when it stops, and accepts nothing new', async () => {
    const TRUNKLINE_DB = await freshDatabase()
    const daemon = await startDaemon({ TRUNKLINE_DB, ...admin })
    const session = await login(daemon)
    const [resource] = exposedResources.filter(({ name }) => name === 'sms_gateways')
    assert.ok(resource)
    const body = { ...sampleBody(resource), ...pointingAt(gateway) }
    const { json } = await call(daemon, 'POST', '/api/sms-gateways', body, session)
    const held = signal<() => void>()
    gateway.answer(response => held.resolve(() => answerJson(response, 200, { id: 'slow-1' })))
    const sending = call(daemon, 'POST', `/api/sms-gateways/${json.data.id}/send`, MESSAGE, session)
    const release = await held.promise
    const stopping = daemon.stop()
    await refusal(daemon)
    release()
    const sent = await sending
    assert.deepEqual([sent.status, sent.json.data.delivery_status], [200, 'submitted'])
    assert.equal((await stopping).code, 0)
    assert.ok(!existsSync(`${TRUNKLINE_DB}-wal`))
  })

  it('fails messages at its start whose sender was killed', async () => {
    const TRUNKLINE_DB = await freshDatabase()
    const short = { TRUNKLINE_GATEWAY_TIMEOUT: '1', TRUNKLINE_DB }
    const first = await startDaemon({ ...short, ...admin })
    const session = await login(first)
    const [resource] = exposedResources.filter(({ name }) => name === 'sms_gateways')
    assert.ok(resource)
    const body = { ...sampleBody(resource), ...pointingAt(gateway) }
    const { json } = await call(first, 'POST', '/api/sms-gateways', body, session)
    const path = `/api/sms-gateways/${json.data.id}`
    gateway.answer(() => undefined)
    const reached = gateway.next()
    const sending = call(first, 'POST', `${path}/send`, MESSAGE, session).catch(() => 'cut')
    await reached
    assert.equal((await first.stop('SIGKILL')).signal, 'SIGKILL')
    assert.equal(await sending, 'cut')
    await makeOverdue(TRUNKLINE_DB)
    const before = gateway.requests.length
    const second = await startDaemon(short)
    const { data } = (await call(second, 'GET', `${path}/messages`, undefined, session)).json
    assert.equal(data.length, 1)
    assert.equal(data[0].delivery_status, 'failed')
    assert.match(data[0].error_message, /^outcome unknown: /)
    assert.equal(gateway.requests.length, before)
    assert.equal((await second.stop()).code, 0)
  })
})
