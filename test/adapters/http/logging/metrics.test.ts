import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createMetrics, type Metrics, serveMetrics } from '../../../../adapters/http/metrics.ts'
import { startDaemon } from '../../../../bin/daemon/daemon.ts'
import { loadSettings } from '../../../../config/load.ts'
import { AppError } from '../../../../core/errors.ts'
import { ADMIN, startService, type TestService, temporaryFolder } from '../../../support/http/app.ts'
import { rawRequest } from '../../../support/http/raw.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'
import { keepSending } from '../../../support/messaging/messages.ts'

let metrics: Metrics
let service: TestService
let gateway: FakeGateway

before(async () => {
  metrics = createMetrics()
  service = await startService({}, {}, metrics)
  gateway = await startGateway()
})
after(async () => {
  await service.close()
  await gateway.close()
})

/** The value of the series whose line starts with this; 0 if there is none. */
async function reading(series: string): Promise<number> {
  const line = (await metrics.text()).split('\n').find(each => each.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
}

/** A request's line is written when its connection is done with it, perhaps after the answer was read. */
async function settled(series: string, value: number): Promise<void> {
  while ((await reading(series)) < value) await new Promise(setImmediate)
  assert.equal(await reading(series), value)
}

const count = (labels: string): string => `trunkline_http_request_duration_seconds_count{${labels}}`

test('requests are counted by method, pattern and status, with the resource named', async () => {
  const session = await service.login()
  await service.request('GET', '/api/tenants/999', { session })
  await service.request('GET', '/api/tenants/998', { session })
  await service.request('GET', '/api/cdrs')
  await settled(count('method="GET",route="/api/tenants/:id",status="404"'), 2)
  await settled(count('method="GET",route="/api/cdrs",status="401"'), 1)
})

test('paths that do not exist make one series, whatever they are', async () => {
  for (const path of ['/a', '/b', '/api/c']) await service.request('GET', path)
  await settled(count('method="GET",route="none",status="404"'), 3)
})

test('what is refused before it is read is counted by status, apart from the requests', async () => {
  const host = 'GET / HTTP/1.1\r\nHost: x\r\n'
  const unread = [
    'BREW / COFFEE/1.0\r\n\r\n',
    `${host}Host: y\r\n\r\n`,
    `${host}Foo: ${'a'.repeat(20_000)}\r\n\r\n`,
    `${host}Expect: wonders\r\n\r\n`,
  ]
  for (const bytes of unread) await rawRequest(service.url, { bytes })
  const refusals = (status: number): Promise<number> => reading(`trunkline_http_refusals_total{status="${status}"}`)
  assert.deepEqual(await Promise.all([400, 417, 431].map(refusals)), [2, 1, 1])
  assert.doesNotMatch(await metrics.text(), /_count\{.*status="(417|431)"/)
})

test('logins are counted by result', async () => {
  const before = await reading('trunkline_logins_total{result="accepted"}')
  await service.login()
  await service.request('POST', '/api/admin/login', { json: { ...ADMIN, password: 'wrong' } })
  await settled('trunkline_logins_total{result="accepted"}', before + 1)
  await settled('trunkline_logins_total{result="refused"}', 1)
  const json = { email: 'nobody@example.com', password: 'wrong' }
  for (let i = 0; i < 11; i++) await service.request('POST', '/api/admin/login', { json })
  await settled('trunkline_logins_total{result="throttled"}', 1)
})

test('sends and receipts are counted by gateway and result', async () => {
  const session = await service.login()
  const meta = { dlr_token_in: 'query:token' }
  const id = await addGateway(service, session, gateway, { callback_token: 'token', meta })
  const path = `/api/sms-gateways/${id}`
  await service.request('POST', `${path}/send`, { json: MESSAGE, session })
  gateway.answerWith(500, 'broken')
  await service.request('POST', `${path}/send`, { json: MESSAGE, session })
  await service.request('POST', `${path}/dlr?token=token`, { json: { message_id: 'gw-1' } })
  await keepSending(service.trunkline.storage.messages, id)
  await service.request('POST', `${path}/dlr?token=token`, { json: { message_id: 'unknown' } })
  await service.request('POST', `${path}/dlr`, { json: { message_id: 'gw-1' } })
  await service.request('POST', '/api/sms-gateways/4711/dlr', { json: { message_id: 'gw-1' } })
  const of = (name: string, result: string): string => `trunkline_sms_${name}_total{gateway="${id}",result="${result}"}`
  for (const result of ['submitted', 'failed']) assert.equal(await reading(of('sends', result)), 1, result)
  for (const result of ['matched', 'parked', 'refused']) assert.equal(await reading(of('receipts', result)), 1, result)
  assert.equal(await reading('trunkline_sms_receipts_total{gateway="4711",result="parked"}'), 0)
})

test('a message whose receipt came first counts as submitted', async () => {
  const session = await service.login()
  const id = await addGateway(service, session, gateway)
  gateway.answerWith(200, '{"id":"early"}')
  await keepSending(service.trunkline.storage.messages, id)
  await service.request('POST', `/api/sms-gateways/${id}/dlr`, { json: { id: 'early', status: 'FAILED' } })
  const sent = await service.request('POST', `/api/sms-gateways/${id}/send`, { json: MESSAGE, session })
  assert.equal(sent.json.data.delivery_status, 'failed')
  assert.equal(await reading(`trunkline_sms_sends_total{gateway="${id}",result="submitted"}`), 1)
})

test('groups of changes are counted with the time they took', async () => {
  const mine = createMetrics()
  mine.onCommit(3, 20)
  mine.onCommit(60, 5)
  const text = await mine.text()
  assert.match(text, /^trunkline_database_group_size_sum 63$/m)
  assert.match(text, /^trunkline_database_group_size_bucket\{le="5"\} 1$/m)
  assert.match(text, /^trunkline_database_write_seconds_total 0\.025$/m)
})

test('a gauge is evaluated on request, and drops labels that are gone', async () => {
  const mine = createMetrics()
  let lag = 1
  mine.gauge('trunkline_test_lag_seconds', 'How far behind', async () => lag)
  let feeds = [{ labels: { feed: 'a' }, value: 1 }]
  mine.gauge('trunkline_test_waiting', 'By feed', () => feeds, ['feed'])
  assert.match(await mine.text(), /^trunkline_test_lag_seconds 1$/m)
  lag = 2
  feeds = [{ labels: { feed: 'b' }, value: 5 }]
  const text = await mine.text()
  assert.match(text, /^trunkline_test_lag_seconds 2$/m)
  assert.match(text, /^trunkline_test_waiting\{feed="b"\} 5$/m)
  assert.doesNotMatch(text, /feed="a"/)
})

test('the metrics port serves only metrics', async () => {
  const server = await serveMetrics(metrics, 0)
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:/)
  const response = await fetch(`${server.url}/metrics`)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  for (const name of ['trunkline_build_info', 'nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes'])
    assert.match(text, new RegExp(`^${name}`, 'm'))
  assert.equal((await fetch(`${server.url}/api/tenants`)).status, 404)
  assert.equal((await service.request('GET', '/metrics')).status, 404)
  await server.stop(1_000)
})

test('the metrics are refused to requests for another host', async () => {
  const server = await serveMetrics(metrics, 0)
  const { port } = new URL(server.url)
  const asking = (host: string) => rawRequest(server.url, { method: 'GET', path: '/metrics', headers: { host } })
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', '[::1]:9464', '127.0.0.1'])
    assert.equal((await asking(host)).status, 200, host)
  for (const host of [
    'evil.example.com',
    `evil.example.com:${port}`,
    '127.0.0.1.evil.example.com',
    'localhost.',
    '[::2]',
  ]) {
    const { status, text } = await asking(host)
    assert.equal(status, 403, host)
    assert.doesNotMatch(text, /trunkline_/)
  }
  await server.stop(1_000)
})

const settingsOf = (folder: string, metricsPort: number) => ({
  ...loadSettings({ flags: {}, environment: {}, file: undefined }).settings,
  db: `${folder}/trunkline.db`,
  port: 0,
  metrics_port: metricsPort,
  log_level: 'silent' as const,
})

/** A port that was free a moment ago, and a server that occupies it. */
async function heldPort(): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new AppError('internal', 'No port was taken.')
  return { port: address.port, release: () => new Promise(resolve => server.close(() => resolve())) }
}

test('the daemon serves what an operator watches of its database', async () => {
  const folder = temporaryFolder()
  const { port, release } = await heldPort()
  await release()
  const daemon = await startDaemon(settingsOf(folder.path, port), {
    first: ADMIN,
    force: false,
    print: () => undefined,
  })
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  assert.match(text, /^trunkline_database_wal_bytes [1-9]/m)
  assert.match(text, /^trunkline_database_group_size_count [1-9]/m)
  assert.match(text, /^# TYPE trunkline_sms_receipts_parked gauge$/m)
  await daemon.stop()
  folder.remove()
})

test('the daemon shows the time of its newest backup where it makes any', async () => {
  const folder = temporaryFolder()
  const { port, release } = await heldPort()
  await release()
  const name = 'trunkline_last_backup_timestamp_seconds'
  const read = async (changes: { backup_every?: number }): Promise<string> => {
    const settings = { ...settingsOf(folder.path, port), backup_dir: join(folder.path, 'backups'), ...changes }
    const daemon = await startDaemon(settings, { first: ADMIN, force: false, print: () => undefined })
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    await daemon.stop()
    return text
  }
  assert.doesNotMatch(await read({}), new RegExp(name))
  mkdirSync(join(folder.path, 'backups'))
  writeFileSync(join(folder.path, 'backups', 'trunkline-9000-01-01T00-00-00Z.db'), '')
  assert.match(await read({ backup_every: 24 }), new RegExp(`^${name} ${Date.UTC(9000, 0, 1) / 1000}$`, 'm'))
  folder.remove()
})

test('a metrics port that is taken does not keep the daemon from serving', async () => {
  const folder = temporaryFolder()
  const { port, release } = await heldPort()
  const daemon = await startDaemon(settingsOf(folder.path, port), {
    first: ADMIN,
    force: false,
    print: () => undefined,
  })
  assert.equal((await fetch(`${daemon.url}/healthz`)).status, 200)
  await daemon.stop()
  await release()
  folder.remove()
})

test('a counter has the series that are expected from the beginning', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('refused_total', 'Refusals', ['why'], [{ why: 'no rate' }, { why: 'no trunk' }])
  count({ why: 'no rate' })
  const text = await metrics.text()
  assert.match(text, /^refused_total\{why="no rate"\} 1$/m)
  assert.match(text, /^refused_total\{why="no trunk"\} 0$/m)
})
