import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createMetrics } from '../../adapters/http/metrics.ts'
import { compose } from '../../bin/compose.ts'
import { noteSuspects } from '../../bin/daemon/upkeep/suspects.ts'
import { addGauges } from '../../bin/daemon/watch.ts'
import { loadSettings } from '../../config/load.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { SUSPECT_AFTER } from '../../core/sms/health.ts'
import { manualClock } from '../support/clock.ts'
import { BODY, GATEWAY } from '../support/messaging/messaging.ts'
import { emptyDatabase } from '../support/storages.ts'

const HOSTS = ['a.example.com', 'b.example.com']

/** Two gateways, a route through both, and the resulting log and metrics. */
async function world() {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const clock = manualClock()
  const ill = new Set<string>()
  let ids = 0
  const { db, ready } = emptyDatabase(':memory:')
  await ready
  const { settings } = loadSettings({ flags: {}, environment: {}, file: undefined })
  const trunkline = await compose(
    { ...settings, db },
    () => '',
    { create: true, migrate: true },
    {
      clock,
      client: {
        submit: async ({ url }) =>
          ill.has(new URL(url).hostname)
            ? { kind: 'answered', status: 403, body: '{"message":"no credit"}' }
            : { kind: 'answered', status: 200, body: `{"message_id":"m${++ids}"}` },
      },
    },
  )
  for (const [i, server_host] of HOSTS.entries())
    await trunkline.storage.records.insert(resourceNamed('sms_gateways'), { ...GATEWAY, name: `G${i}`, server_host })
  await trunkline.smsRouting.set({ gateways: [1, 2] })
  const metrics = createMetrics()
  addGauges(metrics, trunkline, { feeds: [], duties: { has: () => true, all: () => [] } }, settings)
  const look = noteSuspects(trunkline, log)
  return {
    ...{ trunkline, clock, ill },
    send: () => trunkline.messaging.sendRouted(BODY),
    gauges: async () => (await metrics.text()).match(/^trunkline_sms_(?:gateway|overdue).*$/gm) ?? [],
    logged: async () => {
      await look()
      return lines.splice(0).map(({ level, gateway, msg }) => [level, gateway, msg])
    },
  }
}

test('a gateway that fails sends in a row is suspect, though others take its messages, until one goes well', async () => {
  const { trunkline, ill, send, gauges, logged } = await world()
  ill.add('a.example.com')
  for (let i = 1; i < SUSPECT_AFTER; i++) await send()
  assert.deepEqual([await gauges(), await logged()], [[], []])
  await send()
  assert.deepEqual(await gauges(), ['trunkline_sms_gateway_suspect{gateway="1"} 1'])
  assert.deepEqual(await logged(), [[40, 1, 'the last 5 sends through an SMS gateway failed']])
  assert.deepEqual(await logged(), [], 'it is logged once')
  ill.clear()
  await send()
  assert.deepEqual([await gauges(), await logged()], [[], [[30, 1, 'an SMS gateway takes messages again']]])
  await trunkline.close()
})

test('failures that do not follow one another make no gateway suspect', async () => {
  const { trunkline, ill, send, gauges } = await world()
  for (let i = 0; i < SUSPECT_AFTER; i++) {
    ill.add('a.example.com')
    await send()
    ill.clear()
    await send()
  }
  assert.deepEqual(await gauges(), [])
  await trunkline.close()
})

test('messages without a final status are overdue after an hour', async () => {
  const { trunkline, clock, send, gauges } = await world()
  await send()
  await send()
  assert.deepEqual(await gauges(), [])
  clock.advance(3_601)
  assert.deepEqual(await gauges(), ['trunkline_sms_overdue_messages{gateway="1"} 2'])
  const proof = {
    sender: '127.0.0.1',
    isTokenValid: () => true,
    head: () => ({ method: 'POST', url: '', headers: {} }),
    bytes: async () => new Uint8Array(),
  }
  const read = async () => ({ query: {}, body: { message_id: 'm1', status: 'DELIVRD' }, size: 40 })
  await trunkline.messaging.receipt(1, { ...proof, read })
  assert.deepEqual(await gauges(), ['trunkline_sms_overdue_messages{gateway="1"} 1'])
  await trunkline.close()
})
