import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { signedIn } from '../../../support/http/accounts.ts'
import { ADMIN } from '../../../support/http/app.ts'
import { login, sessionOf } from '../../../support/http/sessions.ts'
import {
  dropPart,
  HEADER,
  PART,
  rates,
  run,
  sendPart,
  transferPlace,
  uploaded,
} from '../../../support/http/transfers.ts'
import { onPostgres } from '../../../support/storages.ts'

const place = transferPlace()

const newTenant = async (): Promise<number> => (await place.world.create('tenants')).id

describe('an upload', () => {
  it('comes in consecutive parts, and reports how much is stored', async () => {
    const { json } = await place.desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes: 6 })
    const { id } = json.data
    assert.equal((await sendPart(place.desk, id, 0, Buffer.from('abc'))).status, 200)
    const head = await fetch(`${place.desk.url}/api/console/uploads/${id}`, {
      method: 'HEAD',
      headers: { cookie: place.desk.session },
    })
    assert.deepEqual([head.headers.get('upload-offset'), head.headers.get('upload-length')], ['3', '6'])
    assert.equal((await sendPart(place.desk, id, 0, Buffer.from('abc'))).status, 409)
    assert.equal((await sendPart(place.desk, id, 3, Buffer.from('defg'))).status, 413)
    assert.equal((await sendPart(place.desk, id, 3, Buffer.from('def'), 'text/plain')).status, 415)
    assert.equal((await sendPart(place.desk, id, 3, Buffer.from('def'))).status, 200)
    assert.equal((await place.desk.ask('DELETE', `/api/console/uploads/${id}`)).status, 200)
    assert.equal((await place.desk.ask('GET', `/api/console/uploads/${id}`)).status, 404)
  })

  it('whose connection is lost keeps its bytes, and continues', async () => {
    const content = Buffer.from(`${HEADER}\n${rates(3000)}`)
    const { json } = await place.desk.ask('POST', '/api/console/uploads', { name: 'deck.csv', bytes: content.length })
    const { id } = json.data
    await dropPart(place.desk, id, 0, content.subarray(0, 40_000), content.length)
    const { offset } = (await place.desk.ask('GET', `/api/console/uploads/${id}`)).json.data
    assert.equal(offset, 40_000)
    assert.equal((await sendPart(place.desk, id, offset, content.subarray(offset))).status, 200)
    const job = await run(place.desk, 'rates', { upload: id, tenant: await newTenant() })
    assert.equal(job.outcome.created, 3000)
  })

  it('whose connection only looks open gives way to the client that continues', async () => {
    const { json } = await place.desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes: 6 })
    const { id } = json.data
    const hanging = new AbortController()
    const stalled = fetch(`${place.desk.url}/api/console/uploads/${id}`, {
      method: 'PATCH',
      signal: hanging.signal,
      headers: { cookie: place.desk.session, 'content-type': PART, 'upload-offset': '0' },
      body: new ReadableStream({ start: stream => stream.enqueue(Buffer.from('abc')) }),
      duplex: 'half',
    } as RequestInit).catch(() => null)
    while ((await place.desk.ask('GET', `/api/console/uploads/${id}`)).json.data.offset < 3);
    assert.equal((await sendPart(place.desk, id, 3, Buffer.from('def'))).status, 200)
    hanging.abort()
    await stalled
  })

  it('continues after its session has ended and another has begun', async () => {
    const { json } = await place.desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes: 6 })
    const { id } = json.data
    const session = sessionOf(await login(place.world.service, ADMIN))
    assert.equal((await sendPart({ ...place.desk, session }, id, 0, Buffer.from('abc'))).status, 200)
    await place.world.service.request('POST', '/api/admin/logout', { session })
    assert.equal((await sendPart({ ...place.desk, session }, id, 3, Buffer.from('def'))).status, 401)
    assert.equal((await sendPart(place.desk, id, 3, Buffer.from('def'))).status, 200)
  })

  it('continues after the service was restarted', async () => {
    const { json } = await place.desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes: 6 })
    const { id } = json.data
    await sendPart(place.desk, id, 0, Buffer.from('abc'))
    await place.restart()
    assert.equal((await place.desk.ask('GET', `/api/console/uploads/${id}`)).json.data.offset, 3)
    assert.equal((await sendPart(place.desk, id, 3, Buffer.from('def'))).status, 200)
  })

  it('is stored beside a database file, for its user alone, and stays for a day', async () => {
    const id = await uploaded(place.desk, 'abc')
    await place.world.service.trunkline.tools.jobs.sweep()
    assert.equal((await place.desk.ask('GET', `/api/console/uploads/${id}`)).status, 200)
    if (onPostgres) return
    const kept = `${place.db}-jobs`
    assert.equal(statSync(kept).mode & 0o777, 0o700)
    for (const name of readdirSync(kept)) assert.equal(statSync(join(kept, name)).mode & 0o777, 0o600, name)
  })

  it('has bounds: of a file, and of all files of an account', async () => {
    const begin = (bytes: number) => place.desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes })
    const large = await begin(1024 ** 3 + 1)
    assert.equal(large.status, 413)
    assert.match(large.json.message, /^The file is larger than 1 GiB/)
    assert.equal((await begin(0)).status, 422)
    const other = await signedIn(place.world.service, 'admin')
    const statuses: number[] = []
    for (let i = 0; i < 21; i++)
      statuses.push((await other('POST', '/api/console/uploads', { name: 'a', bytes: 1 })).status)
    assert.deepEqual([statuses.filter(status => status === 201).length, statuses.at(-1)], [20, 409])
    const third = await signedIn(place.world.service, 'admin')
    for (const status of [201, 201, 409])
      assert.equal((await third('POST', '/api/console/uploads', { name: 'a', bytes: 1024 ** 3 })).status, status)
  })

  it('belongs to the account that began it', async () => {
    const tenant = await newTenant()
    const id = await uploaded(place.desk, `${HEADER}\n${rates(1)}`)
    const other = await signedIn(place.world.service, 'admin')
    assert.equal((await other('POST', '/api/console/imports/rates', { upload: id, tenant })).status, 403)
    assert.equal((await other('DELETE', `/api/console/uploads/${id}`)).status, 403)
    const tied = await signedIn(place.world.service, 'admin', tenant)
    assert.equal((await tied('GET', `/api/console/uploads/${id}`)).status, 404)
  })
})
