import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FOREVER } from '../../../../core/rating/period.ts'
import { resources } from '../../../../core/resources/all.ts'
import { collectionOf } from '../../../../core/resources/resource.ts'
import { startWorld, type World } from '../../../support/data/records.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const at = (collection: string, rest = ''): string => `/api/console/records/${collection}${rest}`

test('every resource has a collection, those without an endpoint of their own included', async () => {
  for (const resource of resources) {
    const { status, json } = await world.get(at(collectionOf(resource)))
    assert.equal(status, 200, resource.name)
    assert.ok(Array.isArray(json.data))
    assert.equal((await world.get(at(collectionOf(resource), '/count'))).json.data.count, json.data.length)
  }
  assert.equal((await world.get(at('accounts'))).status, 404)
})

test('without a session nothing can be read or changed', async () => {
  const { service } = world
  for (const [method, path] of [
    ['GET', at('tenants')],
    ['GET', at('tenants', '/1')],
    ['GET', at('tenants', '/count')],
    ['POST', at('tenants')],
    ['PATCH', at('tenants', '/1')],
    ['DELETE', at('tenants', '/1')],
    ['POST', at('extensions', '/1/secrets')],
  ] as const)
    assert.equal((await service.request(method, path)).status, 401, `${method} ${path}`)
})

test('a list is filtered by fields, tenants, search and time, and comes in parts', async () => {
  const { tenant_id } = world.references
  const other = await world.create('tenants')
  for (let n = 0; n < 5; n++)
    await world.create('cdrs', {
      started_at: `2026-03-0${n + 1} 12:00:00`,
      disposition: n % 2 ? 'BUSY' : 'ANSWERED',
      cost: n,
    })
  await world.create('queues', { tenant_id: other.id, status: 'inactive' })
  const ids = async (query: string, collection = 'cdrs'): Promise<number[]> =>
    (await world.get(at(collection, `?${query}`))).json.data.map(({ id }: { id: number }) => id)
  const all = await ids('')
  assert.equal(all.length, 5)
  assert.equal((await ids('filter[disposition]=BUSY')).length, 2)
  assert.equal((await ids('filter[disposition]=BUSY&filter[disposition]=ANSWERED')).length, 5)
  assert.equal((await ids('min[cost]=2.5')).length, 2)
  assert.equal((await ids('from=2026-03-02&to=2026-03-04')).length, 2)
  assert.deepEqual(
    await ids('sort=id'),
    [...all].sort((a, b) => a - b),
  )
  assert.equal((await ids(`tenant=${other.id}`, 'queues')).length, 1)
  assert.equal((await ids(`tenant=${tenant_id}`, 'queues')).length, 0)
  assert.equal((await ids('search=busy')).length, 2)
  const first = await world.get(at('cdrs', '?limit=2'))
  const next = first.headers.get('x-next-after')
  assert.deepEqual(await ids(`limit=3&after=${next}`), all.slice(2))
  assert.equal((await world.get(at('cdrs', '/count?filter[disposition]=BUSY'))).json.data.count, 2)
  assert.equal((await world.get(at('cdrs', '/count?search=busy'))).json.data.count, null)
})

test('invalid filters are refused, each parameter by name', async () => {
  const { status, json } = await world.get(
    at(
      'cdrs',
      '?sort=caller_number&limit=5000&from=yesterday&filter[secret]=x&filter[tenant_id]=x&min[direction]=1&unrated=maybe',
    ),
  )
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(json.errors).sort(), [
    'filter[secret]',
    'filter[tenant_id]',
    'from',
    'limit',
    'min[direction]',
    'sort',
    'unrated',
  ])
})

test('no list or record shows secrets, and requests for them are noted', async () => {
  const { id } = await world.create('extensions', { secret: 'hush-hush' })
  for (const path of [at('extensions'), at('extensions', `/${id}`)])
    assert.doesNotMatch((await world.get(path)).text, /hush|secret/)
  const { json } = await world.send('POST', at('extensions', `/${id}/secrets`))
  assert.deepEqual(json.data, { secret: 'hush-hush' })
  for await (const entry of world.service.trunkline.storage.audit.list(FOREVER)) {
    assert.deepEqual([entry.action, entry.resource, entry.record_id], ['export', 'extensions', id])
    assert.equal(entry.actor, 'admin@example.com')
    break
  }
})

test('one record comes without its long arrays', async () => {
  const { json } = await world.get(at('tenants', `/${world.references.tenant_id}`))
  assert.equal(json.data.id, world.references.tenant_id)
  assert.ok(!('rates' in json.data) && 'extensions_count' in json.data)
  assert.equal((await world.get(at('tenants', '/999999'))).json.message, 'Tenant not found.')
})

test('when two people change one record, the second is warned instead of overwriting the first', async () => {
  const { id } = await world.create('queues', { name: 'Support' })
  const read = async (): Promise<string> => (await world.get(at('queues', `/${id}`))).headers.get('etag') ?? ''
  const change = (name: string, version: string) =>
    world.service.request('PATCH', at('queues', `/${id}`), {
      json: { name },
      headers: { 'if-match': version },
      session: world.session,
    })
  const [mine, theirs] = [await read(), await read()]
  assert.equal((await change('Sales', theirs)).status, 200)
  const late = await change('Billing', mine)
  assert.deepEqual([late.status, late.json.message], [409, 'The Queue was changed by someone else in the meantime.'])
  assert.equal((await change('Billing', await read())).status, 200)
  assert.equal((await world.get(at('queues', `/${id}`))).json.data.name, 'Billing')
})

test('devices, agents and routes are made, changed and deleted as other records are', async () => {
  const { extension_id } = world.references
  const made = await world.send('POST', at('devices'), { extension_id, mac: '00:15:65:a1:b2:c3', model: 'T46U' })
  assert.equal(made.status, 201, made.text)
  const { id } = made.json.data
  assert.equal((await world.send('PATCH', at('devices', `/${id}`), { model: 'T48U' })).json.data.model, 'T48U')
  assert.equal((await world.send('DELETE', at('devices', `/${id}`))).status, 200)
  assert.equal((await world.get(at('devices', `/${id}`))).status, 404)
})

test('a tenant is deleted with what belongs to it only when that is asked for', async () => {
  const { id } = await world.create('tenants')
  await world.create('queues', { tenant_id: id })
  const refused = await world.send('DELETE', at('tenants', `/${id}`))
  assert.deepEqual([refused.status, refused.json.dependants], [409, { queues: 1 }])
  assert.equal((await world.send('DELETE', at('tenants', `/${id}?cascade=true`))).status, 200)
})

test('messages are created only by sending', async () => {
  assert.equal((await world.send('POST', at('sms-messages'), {})).status, 422)
})

test('many records are changed in one transaction, each with its entry in the trail, or none at all', async () => {
  const ids: number[] = []
  for (let n = 0; n < 3; n++) ids.push((await world.create('queues')).id)
  const done = await world.send('PATCH', at('queues'), { ids, change: { status: 'inactive' } })
  assert.deepEqual([done.status, done.json.message], [200, '3 queues changed.'], done.text)
  const { json } = await world.get('/api/console/audit?resource=queues&action=update')
  const changed = json.data.entries.map((entry: { record_id: number }) => entry.record_id)
  for (const id of ids) assert.ok(changed.includes(id))
  const wrong = await world.send('PATCH', at('queues'), { ids: [...ids, 999_999], change: { status: 'active' } })
  assert.deepEqual([wrong.status, wrong.json.errors], [422, { 999999: ['Queue not found.'] }])
  assert.equal((await world.get(at('queues', `/${ids[0]}`))).json.data.status, 'inactive')
  for (const body of [{ ids: [], change: { status: 'x' } }, { ids, change: {} }, { ids: 'all', change: {} }, { ids }])
    assert.equal((await world.send('PATCH', at('queues'), body)).status, 422, JSON.stringify(body))
  const refused = await world.send('PATCH', at('queues'), { ids, change: { timeout: 'soon' } })
  assert.deepEqual(Object.keys(refused.json.errors), ['timeout'])
})
