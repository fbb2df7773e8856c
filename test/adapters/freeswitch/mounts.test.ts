import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { lookupMount, recordMount } from '../../../adapters/freeswitch/lookups/mounts.ts'
import { AppError } from '../../../core/errors.ts'
import { startService, type TestService } from '../../support/http/app.ts'
import { directory } from '../../support/switching/directory.ts'
import { isNotFound, lookupsOf, proofOf, registerForm, valuesIn } from '../../support/switching/freeswitch.ts'

const TOKEN = 'a-token-of-the-tests'
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const RIGHT = basic('freeswitch', TOKEN)

let service: TestService
const stored: string[] = []
const refused: string[] = []
const failures: unknown[] = []
let store = async (record: string): Promise<void> => void stored.push(record)
const answer = lookupsOf([directory()])

before(async () => {
  const parts = {
    token: TOKEN,
    allowed: ['127.0.0.0/8', '::1'],
    onRefused: (why: string) => refused.push(why),
    onFailure: (error: unknown) => failures.push(error),
  }
  const lookups = (allowed: readonly string[]) =>
    lookupMount({ ...parts, allowed }, form => answer.ask(Object.fromEntries(new URLSearchParams(form))))
  const others = { ...lookups(['192.0.2.0/24']), path: '/elsewhere/freeswitch/xml' }
  const mounts = [lookups(parts.allowed), recordMount(parts, record => store(record)), others]
  service = await startService({}, {}, undefined, undefined, mounts)
})
after(() => service.close())
beforeEach(() => {
  for (const list of [stored, refused, failures]) list.length = 0
})

const post = (path: string, body: string, headers: Record<string, string> = RIGHT) =>
  service.request('POST', path, { body, headers })
const FORM = new URLSearchParams(registerForm()).toString()
const AS_FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('the paths that FreeSWITCH asks', () => {
  test('answer a lookup as XML, without a session', async () => {
    const { status, headers, text } = await post('/freeswitch/xml', FORM, { ...RIGHT, ...AS_FORM })
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/xml/)
    assert.equal(valuesIn(text)['a1-hash'], proofOf('101', 'acme.example.com', 's3cret-101'))
  })

  test('answer 200 to a lookup of something unknown, and to what is no lookup', async () => {
    for (const body of [new URLSearchParams(registerForm({ user: '999' })).toString(), '', 'section=%', '\0=1', '{}']) {
      const { status, text } = await post('/freeswitch/xml', body, { ...RIGHT, ...AS_FORM })
      assert.equal(status, 200)
      assert.ok(isNotFound(text))
    }
  })

  test('refuse a wrong token and say so, without reading the body', async () => {
    for (const headers of [{}, basic('freeswitch', 'wrong'), basic('', TOKEN), { authorization: `Bearer ${TOKEN}` }])
      for (const path of ['/freeswitch/xml', '/freeswitch/cdr'])
        assert.equal((await post(path, 'x'.repeat(100), headers)).status, 401)
    assert.deepEqual(refused, Array(8).fill('token'))
    assert.deepEqual(stored, [])
    assert.doesNotMatch(service.logged.join(), /a-token/)
  })

  test('are closed to other addresses, and to what a proxy passes on', async () => {
    assert.equal((await post('/elsewhere/freeswitch/xml', FORM)).status, 403)
    assert.equal((await post('/freeswitch/xml', FORM, { ...RIGHT, 'x-forwarded-for': '127.0.0.1' })).status, 403)
    assert.deepEqual(refused, ['address', 'address'])
  })

  test('answer POST alone', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      assert.equal((await service.request(method, '/freeswitch/xml', { headers: RIGHT })).status, 405)
  })

  test('store a record before they answer', async () => {
    let isAnswered = false
    let keep = (): void => {}
    const asked = new Promise<void>(resolve => {
      store = record =>
        new Promise(resolveStored => {
          keep = () => {
            stored.push(record)
            resolveStored()
          }
          resolve()
        })
    })
    const posted = post('/freeswitch/cdr?uuid=1', '{"variables":{}}')
    void posted.then(() => {
      isAnswered = true
    })
    await asked
    await service.request('GET', '/healthz')
    assert.ok(!isAnswered)
    keep()
    assert.equal((await posted).status, 200)
    assert.deepEqual(stored, ['{"variables":{}}'])
  })

  test('answer 500 if a record cannot be stored, so that FreeSWITCH keeps it', async () => {
    store = async () => {
      throw new AppError('storage_full', 'The disk is full.')
    }
    assert.equal((await post('/freeswitch/cdr', '{}')).status, 500)
    assert.equal(failures.length, 1)
  })

  test('limit the size of bodies', async () => {
    store = async record => void stored.push(String(record.length))
    assert.equal((await post('/freeswitch/cdr', 'x'.repeat(1024 * 1024))).status, 200)
    assert.deepEqual(stored, [String(1024 * 1024)])
    assert.equal((await post('/freeswitch/cdr', 'x'.repeat(1024 * 1024 + 1))).status, 500)
    assert.equal((await post('/freeswitch/xml', 'x'.repeat(64 * 1024 + 1), { ...RIGHT, ...AS_FORM })).status, 500)
  })
})
