import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'

const NET = 43
const { phone, place, carrier: CARRIER } = placesIn(NET)
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)
const other = phone('beta', '101', 21)

describe('a real FreeSWITCH', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab({ net: NET })
    await populate(lab)
  })
  after(() => lab?.close())

  test('registers the telephones of two tenants with one number, by their own secrets', async () => {
    for (const each of [desk, hall, other]) assert.deepEqual(await lab.phones.register(each), WENT)
    const wrong = phone('acme', '101', 31)
    assert.equal((await lab.phones.register({ ...wrong, secret: other.secret })).refusal, 403)
    assert.equal((await lab.phones.register({ ...wrong, domain: 'ACME.example.com' })).refusal, 403)
  })

  test('has a call inside, and one record of it, which costs nothing', async () => {
    const answering = await lab.answered(hall)
    assert.deepEqual(await lab.phones.call(desk, '102', 700), WENT)
    answering.stop()
    await answering.done
    const [record, ...others] = await lab.recorded('102')
    assert.deepEqual(
      [record?.caller_number, record?.direction, record?.disposition, record?.duration_seconds, record?.cost],
      ['101', 'inbound', 'ANSWERED', 1, '0.0000'],
    )
    assert.equal(others.length, 0)
  })

  test('sends a call out through the trunk of the route, and bills its seconds rounded up', async () => {
    const carrier = await lab.answered(CARRIER)
    assert.deepEqual(await lab.phones.call(desk, '0501234567', 1_300), WENT)
    carrier.stop()
    await carrier.done
    const [record, ...others] = await lab.recorded('+380501234567')
    assert.deepEqual(
      [record?.caller_number, record?.direction, record?.duration_seconds, record?.cost],
      ['101', 'outbound', 2, '0.0200'],
    )
    assert.equal(others.length, 0)
  })

  test('puts a call for a DID through from its carrier, and from nowhere else', async () => {
    const answering = await lab.answered(hall)
    assert.deepEqual(await lab.carriers.callIn(CARRIER, '380671234567', '380441234567', 700), WENT)
    answering.stop()
    await answering.done
    const [record] = await lab.recorded('380441234567')
    assert.deepEqual([record?.caller_number, record?.direction, record?.cost], ['380671234567', 'inbound', '0.0000'])
    const stranger = place(98)
    assert.equal((await lab.carriers.callIn(stranger, '380671234567', '380441234567', 100)).refusal, 403)
    assert.equal((await lab.carriers.callIn(CARRIER, '380671234567', '380449999999', 100)).refusal, 404)
  })

  test('has a call to a queue answered by its agent, as one record', async () => {
    const answering = await lab.answered(hall)
    assert.deepEqual(await lab.phones.call(desk, '800', 3_000), WENT)
    answering.stop()
    await answering.done
    assert.deepEqual(
      (await lab.recorded('800')).map(({ direction, disposition }) => [direction, disposition]),
      [['inbound', 'ANSWERED']],
    )
  })

  test('shows its telephones and calls, ends a call, and reports nothing wrong', async () => {
    const shown = async (...args: string[]): Promise<Record<string, unknown>[]> => {
      const found = await lab.cli(...args)
      assert.ok(Array.isArray(found), JSON.stringify(found))
      return found
    }
    assert.deepEqual(
      (await shown('phones', '--tenant', 'acme')).map(({ extension, agent }) => [extension, agent]).toSorted(),
      [
        ['101', 'lab-phone/1'],
        ['102', 'lab-phone/1'],
      ],
    )
    const carrier = await lab.answered(CARRIER)
    const calling = lab.phones.call(desk, '0501234568', 30_000)
    const call = await until('the call is answered', async () =>
      (await shown('calls')).find(({ seconds }) => seconds !== null),
    )
    const { tenant, from, to, trunk, direction } = call
    assert.deepEqual([tenant, from, to, trunk, direction], ['acme', '101', '+380501234568', 'carrier-one', 'outbound'])
    assert.match(String(call['cost']), /^0\.0\d{3}$/)
    await lab.cli('calls', 'end', String(call['id']))
    await calling
    carrier.stop()
    await carrier.done
    assert.deepEqual(await shown('calls'), [])
    assert.equal((await lab.recorded('+380501234568')).length, 1)
    assert.deepEqual(await shown('switch', 'check'), [])
  })

  test('keeps the records of calls that end while the daemon is away', async () => {
    const answering = await lab.answered(hall)
    const calling = lab.phones.call(desk, '102', 3_000)
    await until('the call is up', async () => (await lab.channels()) === 2)
    await lab.daemon.stop()
    assert.deepEqual(await calling, WENT)
    answering.stop()
    await answering.done
    await until('the record waits', async () => lab.waiting() === 1)
    await lab.startDaemon()
    assert.equal((await lab.recorded('102', 2)).length, 2)
    await until('its file is gone', async () => lab.waiting() === 0)
  })

  test('ends the calls of a tenant that is suspended within a second, and registers its telephones no longer', async () => {
    const answering = await lab.answered(hall)
    const calling = lab.phones.call(desk, '102', 30_000)
    await until('the call is up', async () => (await lab.channels()) === 2)
    await lab.cli('tenant', 'update', 'acme', '--status', 'suspended')
    const suspended = performance.now()
    await until('it has ended', async () => (await lab.channels()) === 0)
    const ms = performance.now() - suspended
    assert.ok(ms < 1_000, `${ms} ms`)
    await calling
    answering.stop()
    await answering.done
    assert.equal((await lab.phones.register(desk)).refusal, 403)
    const registered = (): Promise<string> => lab.ask('sofia status profile internal reg')
    await until('its telephones are forgotten', async () => !/User:\s+10\d@acme/.test(await registered()))
    assert.match(await registered(), /User:\s+101@beta/)
    await lab.cli('tenant', 'update', 'acme', '--status', 'active')
    for (const each of [desk, hall]) assert.deepEqual(await lab.phones.register(each), WENT)
  })

  test('requires a new secret from the next request on', async () => {
    writeFileSync(join(lab.folder, 'secret'), 'another-secret')
    await lab.cli('extension', 'update', 'acme/101', '--secret-file', join(lab.folder, 'secret'))
    assert.equal((await lab.phones.register(desk)).refusal, 403)
    assert.deepEqual(await lab.phones.register({ ...desk, secret: 'another-secret' }), WENT)
  })
})
