import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { compose } from '../../bin/compose.ts'
import { findUnread, unreadLog } from '../../bin/daemon/upkeep/unread-log.ts'
import { loadSettings } from '../../config/load.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { insert } from '../support/data/rows.ts'
import { sampleBody } from '../support/data/samples.ts'
import { emptyDatabase } from '../support/storages.ts'

const tenants = resourceNamed('tenants')

async function world() {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { db, ready } = emptyDatabase(':memory:')
  await ready
  const { settings } = loadSettings({ flags: {}, environment: {}, file: undefined })
  const onUnread = unreadLog(log)
  const trunkline = await compose({ ...settings, db }, () => '', { create: true, migrate: true, onUnread })
  return { lines, trunkline, logged: () => lines.splice(0).map(({ resource, id, problem }) => [resource, id, problem]) }
}

test('a value that no rule can read is stored as it comes, and logged once with what is wrong', async () => {
  const { trunkline, logged } = await world()
  const { administration } = trunkline
  const settings = { international_prefix: 11, own: 'secret words' }
  const body = { ...sampleBody(tenants), status: 'Active', settings }
  assert.match(
    await administration.create(tenants, body),
    /"settings":\{"international_prefix":11,"own":"secret words"\}/,
  )
  assert.deepEqual(logged(), [
    ['tenants', 1, 'status is Active, which no rule knows (did you mean active?)'],
    [
      'tenants',
      1,
      'settings holds international_prefix, which must be the digits dialled before a country code, as text such as "011"',
    ],
  ])
  await administration.replace(tenants, 1, body)
  await administration.change(tenants, 1, { name: 'Other' })
  assert.deepEqual(logged(), [])
  await administration.change(tenants, 1, { settings: { international_prefx: '011' } })
  assert.deepEqual(logged(), [
    ['tenants', 1, 'settings holds international_prefx, which is not known (did you mean international_prefix?)'],
  ])
  await trunkline.close()
})

test('what others stored is found, whatever else is there', async () => {
  const { trunkline, logged } = await world()
  const { records } = trunkline.storage
  await insert(records, 'tenants', { settings: null })
  await insert(records, 'tenants', { settings: '{"own":1}' })
  await insert(records, 'sms_gateways', { meta: '{"dlr_token_in":"kW3-9fQm"}' })
  for (let i = 0; i < 2; i++) await findUnread(records, trunkline.onUnread, new AbortController().signal)
  const [first, ...others] = logged()
  assert.deepEqual([first?.slice(0, 2), others], [['sms_gateways', 1], []])
  assert.match(String(first?.[2]), /^meta holds dlr_token_in, which must be query:NAME or header:NAME/)
  assert.doesNotMatch(String(first?.[2]), /kW3/)
  await trunkline.close()
})
