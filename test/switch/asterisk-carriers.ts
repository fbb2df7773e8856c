import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/asterisk.ts'
import { ignoring } from './lab/ignoring.ts'
import type { Answering, Place } from './telephones.ts'

const NET = 42
const { phone, place, carrier } = placesIn(NET)
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)
const second = place(98)
const registered = place(97)
const quiet = place(96)
const ACTIVE = ['--status', 'active']

/** A carrier that receives requests and never answers. */
async function silent({ address, port }: Place): Promise<() => Promise<void>> {
  const socket = createSocket('udp4').bind(port, address)
  await once(socket, 'listening')
  return async () => {
    socket.close()
    await once(socket, 'close')
  }
}

describe('carriers of a real Asterisk', { skip, timeout: 400_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab(NET)
    await populate(lab)
    const host = ['--host', second.address, '--port', String(second.port)]
    await lab.cli('trunk', 'create', '--name', 'second', ...host, ...ACTIVE)
    await lab.cli('trunk', 'route', 'set', 'carrier', 'second')
    await until('both trunks are there', async () => /_second/.test(await lab.ask('pjsip show endpoints')))
    await until('both are in the dialplan', async () =>
      /tl_trunk.=second/.test(await lab.ask('dialplan show trunks-acme+0')),
    )
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
  })
  after(() => lab?.close())

  const stopped = async (answering: Answering): Promise<void> => {
    answering.stop()
    await answering.done
  }

  test('a call that the first trunk refuses goes out through the next, and is billed once', async () => {
    const refusing = await lab.phones.refuse(carrier, 503)
    const taking = await lab.answered(second)
    assert.deepEqual(await lab.phones.call(desk, '0501110001', 1_300), WENT)
    await refusing.done
    await stopped(taking)
    const records = await lab.recorded('+380501110001')
    assert.equal(records.filter(({ cost }) => Number(cost) > 0).length, 1, JSON.stringify(records))
  })

  test('a call whose number the carrier says is busy is not tried elsewhere', async () => {
    const refusing = await lab.phones.refuse(carrier, 486)
    assert.equal((await lab.phones.call(desk, '0501110002', 500)).refusal, 486)
    await refusing.done
    const [record, ...others] = await lab.recorded('+380501110002')
    assert.deepEqual([record?.disposition, record?.cost, others.length], ['BUSY', '0.0000', 0])
  })

  test('a call that the first trunk does not answer goes out through the next', async () => {
    const close = await silent(carrier)
    const taking = await lab.answered(second)
    const began = performance.now()
    assert.deepEqual(await lab.phones.call(desk, '0501110003', 1_300), WENT)
    assert.ok(performance.now() - began < 45_000)
    await close()
    await stopped(taking)
    const records = await lab.recorded('+380501110003')
    assert.equal(records.filter(({ cost }) => Number(cost) > 0).length, 1, JSON.stringify(records))
  })

  const counts = (name: string, as: 'Avail' | 'Unavail'): Promise<unknown> =>
    until(`${name} counts as ${as}`, async () => {
      await lab.ask(`pjsip qualify _${name}`)
      return new RegExp(`_${name}/.* ${as} `).test(await lab.ask('pjsip show contacts'))
    })

  test('a call goes out through a carrier that never answers OPTIONS', async () => {
    const close = await ignoring(quiet, '486 Busy Here')
    const host = ['--host', quiet.address, '--port', String(quiet.port)]
    await lab.cli('trunk', 'create', '--name', 'quiet', ...host, ...ACTIVE)
    await lab.cli('trunk', 'route', 'set', 'quiet', '--prefix', '+44')
    await until('its route is there', async () => /_\+44/.test(await lab.ask('dialplan show route-acme')))
    await counts('quiet', 'Unavail')
    assert.equal((await lab.phones.call(desk, '00442079460000', 500)).refusal, 486)
    await close()
  })

  test('a carrier that answered OPTIONS and falls silent is not waited for', async () => {
    const answering = await lab.answered(carrier)
    await counts('carrier', 'Avail')
    assert.deepEqual(await lab.phones.call(desk, '0501110005', 300), WENT)
    await stopped(answering)
    await counts('carrier', 'Unavail')
    const taking = await lab.answered(second)
    await counts('second', 'Avail')
    const began = performance.now()
    assert.deepEqual(await lab.phones.call(desk, '0501110006', 300), WENT)
    assert.ok(performance.now() - began < 20_000, 'shorter than it takes to find a carrier silent')
    await stopped(taking)
  })

  test('a trunk that registers proves itself to the carrier, and brings the calls of its DID alone', async () => {
    const carrying = await lab.phones.registrar(registered, 'acme-lines', 'a-secret-of-lines')
    writeFileSync(join(lab.folder, 'lines'), 'a-secret-of-lines')
    const account = ['--username', 'acme-lines', '--secret-file', join(lab.folder, 'lines'), '--registers']
    const host = ['--host', registered.address, '--port', String(registered.port)]
    await lab.cli('trunk', 'create', '--name', 'lines', ...host, ...account, ...ACTIVE)
    await until('it is registered', async () => /Registered/.test(await lab.ask('pjsip show registrations')))
    await stopped(carrying)
    await lab.cli('did', 'create', '--tenant', 'acme', '--number', '+380447654321', '--provider', 'lines', ...ACTIVE)
    await lab.cli('route', 'add', '--did', '+380447654321', '--target-type', 'extension', '--target', 'acme/102')
    const answering = await lab.answered(hall)
    await until(
      'the call comes in',
      async () => (await lab.phones.callIn(registered, '380671234567', '380447654321', 700)).code === 0,
    )
    await stopped(answering)
    assert.equal((await lab.recorded('+380447654321')).length, 1)
    assert.equal((await lab.phones.callIn(second, '380671234567', '380447654321', 100)).refusal, 404)
  })

  test('a trunk that is no longer active brings no calls and takes none', async () => {
    await lab.cli('trunk', 'update', 'carrier', '--status', 'inactive')
    await until('it is gone', async () => !/_carrier/.test(await lab.ask('pjsip show endpoints')))
    assert.equal((await lab.phones.callIn(carrier, '380671234567', '380441234567', 100)).refusal, 401)
    const taking = await lab.answered(second)
    await counts('second', 'Avail')
    assert.deepEqual(await lab.phones.call(desk, '0501110004', 700), WENT)
    await stopped(taking)
    assert.equal((await lab.recorded('+380501110004')).length, 1)
  })
})
