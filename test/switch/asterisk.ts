import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type CallRecord,
  extensionOf,
  freePort,
  idOf,
  type Lab,
  openLab,
  placesIn,
  populate,
  records,
  SETTINGS,
  skip,
  tenantOf,
  to,
  until,
  upCalls,
  WENT,
  type World,
} from './lab/asterisk.ts'

const NET = 41
const { phone, carrier: CARRIER } = placesIn(NET)
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)
const back = phone('acme-103', 13)
const other = phone('beta-101', 21)

describe('a real Asterisk', { skip, timeout: 300_000 }, () => {
  let lab: Lab
  let world: World
  let metricsPort: number

  before(async () => {
    metricsPort = await freePort()
    lab = await openLab(NET, { environment: { TRUNKLINE_METRICS_PORT: String(metricsPort) } })
    world = await populate(lab)
  })
  after(() => lab?.close())

  /** The records of calls to a number, once there are some; a second after the call is late. */
  const recorded = async (number: string): Promise<CallRecord[]> => {
    const ended = performance.now()
    const found = await until(`a call to ${number} is recorded`, async () => {
      const all = to(await records(lab), number)
      return all.length > 0 && all
    })
    const ms = performance.now() - ended
    assert.ok(ms < 1_000, `recorded after ${ms} ms`)
    return found
  }
  const setTenant = async (changes: object): Promise<unknown> =>
    idOf(await lab.api('PUT', `/api/tenants/${world.acme}`, { ...tenantOf('acme'), ...changes }))

  test('registers the telephones of two tenants with one number, by their own secrets', async () => {
    await until('the desk registers', async () => (await lab.phones.register(desk)).code === 0)
    assert.equal((await lab.phones.register(hall)).code, 0)
    assert.equal((await lab.phones.register(back)).code, 0)
    assert.equal((await lab.phones.register(other)).code, 0)
    assert.equal((await lab.phones.register({ ...other, secret: desk.secret })).refusal, 401)
  })

  test('has a call inside, and the record of it within a second', async () => {
    const answering = await lab.phones.answer(hall, 1)
    assert.deepEqual(await lab.phones.call(desk, '102', 1_200), WENT)
    const [record] = await recorded('102')
    assert.deepEqual([record?.caller_number, record?.direction, record?.disposition], ['101', 'inbound', 'ANSWERED'])
    await answering.done
  })

  test('sends a call out through the trunk of the route, and bills it to the caller', async () => {
    const carrier = await lab.phones.answer(CARRIER, 1)
    assert.deepEqual(await lab.phones.call(desk, '0501234567', 1_200), WENT)
    const [record] = await recorded('+380501234567')
    assert.deepEqual([record?.caller_number, record?.direction, record?.extension_id], ['101', 'outbound', world.desk])
    assert.ok(Number(record?.cost) > 0, JSON.stringify(record))
    await carrier.done
  })

  /** Refused calls by reason, as the daemon counts them. */
  const refused = async (reason: string): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const line = new RegExp(`^trunkline_switch_decisions_total\\{what="call",refusal="${reason}"\\} (\\d+)$`, 'm')
    return Number(line.exec(metrics)?.[1])
  }

  test('refuses an invalid number, and a call without permission, and the daemon counts both', async () => {
    assert.equal((await lab.phones.call(desk, '999', 100)).refusal, 404)
    await setTenant({ settings: { ...SETTINGS, limits: { blocked_prefixes: ['380'] } } })
    const carrier = await lab.answered(CARRIER)
    await until('it is refused', async () => (await lab.phones.call(desk, '0501234567', 100)).refusal === 403, 2_000)
    carrier.stop()
    await until('it is counted', async () => (await refused('prefix blocked')) === 1)
    assert.equal(await refused('unknown number'), 1)
    await setTenant({})
  })

  test('notes a limit on calls in progress that refuses a call', async () => {
    await setTenant({ settings: { ...SETTINGS, limits: { concurrent_calls: 1 } } })
    const answering = await lab.answered(hall)
    const calling = lab.phones.call(desk, '102', 5_000)
    await until('the call is up', async () => (await upCalls(lab)) === 2)
    await until('the next is refused', async () => (await lab.phones.call(back, '102', 100)).refusal === 403)
    const trail = JSON.stringify(await lab.cli('audit', 'list'))
    assert.match(trail, /limit-reached/)
    assert.match(trail, /concurrent_calls/)
    assert.ok((await refused('limit reached')) >= 1)
    await calling
    answering.stop()
    await answering.done
    await setTenant({})
  })

  test('puts a call for a DID through to the extension of its route', async () => {
    const answering = await lab.phones.answer(hall, 1)
    await until(
      'it comes in',
      async () => (await lab.phones.callIn(CARRIER, '380671234567', '380441234567', 1_200)).code === 0,
    )
    const [record] = await recorded('+380441234567')
    assert.deepEqual([record?.direction, record?.disposition, record?.cost], ['inbound', 'ANSWERED', '0.0000'])
    assert.equal((await lab.phones.callIn(CARRIER, '380671234567', '380440000000', 100)).refusal, 404)
    await answering.done
  })

  test('answers a queue call as one record, though another agent rang too', async () => {
    const answering = await lab.phones.answer(hall, 1)
    assert.deepEqual(await lab.phones.call(back, '800', 1_200), WENT)
    await answering.done
    assert.deepEqual(
      (await recorded('800')).map(({ disposition }) => disposition),
      ['ANSWERED'],
    )
  })

  test('accepts a new secret within a second, and then refuses the old one', async () => {
    const id = world.desk
    idOf(
      await lab.api('PUT', `/api/extensions/${id}`, { ...extensionOf(world.acme, '101', 'acme'), secret: 'another' }),
    )
    const changed = performance.now()
    await until('the old one is refused', async () => (await lab.phones.register(desk)).refusal === 401)
    assert.ok(performance.now() - changed < 1_500, `after ${performance.now() - changed} ms`)
    assert.equal((await lab.phones.register({ ...desk, secret: 'another' })).code, 0)
    idOf(await lab.api('PUT', `/api/extensions/${id}`, extensionOf(world.acme, '101', 'acme')))
    await until('the first one is right again', async () => (await lab.phones.register(desk)).code === 0)
  })

  test('keeps working without the daemon, which stores the records once it is back', async () => {
    const before = to(await records(lab), '102').length
    await lab.daemon.stop()
    assert.equal((await lab.phones.register(desk)).code, 0)
    const answering = await lab.phones.answer(hall, 1)
    const begun = performance.now()
    assert.deepEqual(await lab.phones.call(desk, '102', 1_200), WENT)
    assert.ok(performance.now() - begun < 5_000)
    await answering.done
    await lab.startDaemon()
    await until('the call is recorded', async () => to(await records(lab), '102').length === before + 1)
  })

  test('ends the calls of a tenant that is suspended within a second, and takes no more', async () => {
    const answering = await lab.phones.answer(hall, 1)
    const calling = lab.phones.call(desk, '102', 60_000)
    await until('the call is up', async () => (await upCalls(lab)) > 0)
    await setTenant({ status: 'suspended' })
    const suspended = performance.now()
    await until('the call has ended', async () => (await upCalls(lab)) === 0)
    const ms = performance.now() - suspended
    assert.ok(ms < 1_000, `after ${ms} ms`)
    await Promise.all([calling, answering.done])
    await until('it registers no longer', async () => (await lab.phones.register(desk)).refusal === 401)
    assert.equal((await lab.phones.register(other)).code, 0, 'the other tenant goes on')
    await setTenant({})
    await until('it registers again', async () => (await lab.phones.register(desk)).code === 0)
  })
})
