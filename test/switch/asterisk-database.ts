import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  extensionOf,
  idOf,
  type Lab,
  openLab,
  placesIn,
  populate,
  skip,
  tenantOf,
  until,
  WENT,
  type World,
} from './lab/asterisk.ts'

const NET = 51
const { phone } = placesIn(NET)
const WITHIN_MS = 1_000
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)
const fresh = phone('acme-104', 14)
const other = phone('beta-101', 21)

describe('a real Asterisk that reads telephones from a database', { skip, timeout: 300_000 }, () => {
  let lab: Lab
  let world: World

  before(async () => {
    lab = await openLab(NET, { telephones: 'database' })
    world = await populate(lab)
  })
  after(() => lab?.close())

  const pjsip = (): string => readFileSync(join(lab.folder, 'etc/trunkline/pjsip.conf'), 'utf8')
  const setTenant = async (changes: object): Promise<unknown> =>
    idOf(await lab.api('PUT', `/api/tenants/${world.acme}`, { ...tenantOf('acme'), ...changes }))
  const refusal = async (at: typeof desk): Promise<number | null> => (await lab.phones.register(at)).refusal

  test('registers the telephones of two tenants with one number, by their own secrets, and they call', async () => {
    await until('the desk registers', async () => (await lab.phones.register(desk)).code === 0)
    for (const each of [hall, other]) assert.equal((await lab.phones.register(each)).code, 0)
    assert.equal(await refusal({ ...other, secret: desk.secret }), 401)
    const answering = await lab.phones.answer(hall, 1)
    assert.deepEqual(await lab.phones.call(desk, '102', 1_200), WENT)
    await answering.done
    assert.deepEqual(
      (await lab.recorded('102')).map(({ caller_number }) => caller_number),
      ['101'],
    )
  })

  test('has nothing wrong that a check would find', async () => {
    await until('every file is loaded', async () => (await lab.findings()).length === 0, 20_000)
  })

  test('accepts a new secret and refuses the old one within a second, without a reload', async () => {
    const before = pjsip()
    const set = async (secret: string): Promise<number> => {
      const given = { ...extensionOf(world.acme, '101', 'acme'), secret }
      idOf(await lab.api('PUT', `/api/extensions/${world.desk}`, given))
      return performance.now()
    }
    const changed = await set('another')
    await until('the old one is refused', async () => (await refusal(desk)) === 401)
    assert.ok(performance.now() - changed < WITHIN_MS, `after ${performance.now() - changed} ms`)
    assert.equal((await lab.phones.register({ ...desk, secret: 'another' })).code, 0)
    await set(desk.secret)
    await until('the first one is right again', async () => (await refusal(desk)) === null)
    assert.equal(pjsip(), before, 'nothing that Asterisk reloads has changed')
  })

  test('registers a new telephone within a second, and a queue knows its state after a reload', async () => {
    idOf(await lab.api('POST', '/api/extensions', extensionOf(world.acme, '104', 'acme')))
    const created = performance.now()
    await until('it registers', async () => (await lab.phones.register(fresh)).code === 0)
    assert.ok(performance.now() - created < WITHIN_MS, `after ${performance.now() - created} ms`)
    await lab.cli('agent', 'create', '--queue', 'acme/800', '--extension', 'acme/104')
    await until(
      'the queue can ring it',
      async () => /acme-104 .*Not in use/.test(await lab.ask('queue show acme-800')),
      20_000,
    )
  })

  test('keeps registering and calling without the daemon', async () => {
    await lab.daemon.stop()
    assert.equal((await lab.phones.register(desk)).code, 0)
    const answering = await lab.phones.answer(hall, 1)
    assert.deepEqual(await lab.phones.call(desk, '102', 1_200), WENT)
    await answering.done
    await lab.startDaemon()
    await until('it knows the switch again', async () => (await lab.findings()).length === 0, 20_000)
  })

  test('refuses the telephones of a suspended tenant, and of no other', async () => {
    await setTenant({ status: 'suspended' })
    const suspended = performance.now()
    await until('it registers no longer', async () => (await refusal(desk)) === 401)
    assert.ok(performance.now() - suspended < WITHIN_MS, `after ${performance.now() - suspended} ms`)
    assert.equal((await lab.phones.register(other)).code, 0)
    await setTenant({})
    await until('it registers again', async () => (await refusal(desk)) === null)
  })

  test('is found out when it stops reading the database', async () => {
    await lab.ask('module unload res_config_sqlite3.so')
    assert.deepEqual(await lab.findings(), ['asterisk_telephones_modules'])
  })
})
