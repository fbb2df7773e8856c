import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ACTIVE, type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'
import type { Place } from './telephones.ts'

const NET = 44
const { phone, place, carrier } = placesIn(NET)
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)
const second = place(98)
const registered = place(97)

/** A carrier that accepts everything, and answers nothing. */
async function silent({ address, port }: Place): Promise<() => Promise<void>> {
  const socket = createSocket('udp4').bind(port, address)
  await once(socket, 'listening')
  return async () => {
    socket.close()
    await once(socket, 'close')
  }
}

describe('carriers of a real FreeSWITCH', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab({ net: NET })
    await populate(lab)
    const host = ['--host', second.address, '--port', String(second.port)]
    await lab.cli('trunk', 'create', '--name', 'carrier-two', ...host, ...ACTIVE)
    await lab.cli('trunk', 'route', 'set', 'carrier-one', 'carrier-two')
    await until('both gateways are there', async () =>
      /carrier-two/.test(await lab.ask('sofia profile external gwlist')),
    )
    for (const each of [desk, hall]) assert.deepEqual(await lab.phones.register(each), WENT)
  })
  after(() => lab?.close())

  test('a call that the first trunk refuses goes out through the next, and is billed once', async () => {
    const refusing = await lab.phones.refuse(carrier, 503)
    const taking = await lab.answered(second)
    assert.deepEqual(await lab.phones.call(desk, '0501110001', 1_300), WENT)
    await refusing.done
    taking.stop()
    await taking.done
    const records = await lab.recorded('+380501110001', 2)
    assert.deepEqual(records.map(({ duration_seconds, cost }) => [duration_seconds, cost]).toSorted(), [
      [0, '0.0000'],
      [2, '0.0200'],
    ])
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
    assert.ok(performance.now() - began < 40_000)
    await close()
    taking.stop()
    await taking.done
    const records = await lab.recorded('+380501110003', 2)
    assert.deepEqual(records.map(({ cost }) => cost).toSorted(), ['0.0000', '0.0200'])
  })

  test('what a telephone writes into headers does not reach the carrier', async () => {
    const received: string[] = []
    const socket = createSocket('udp4', (message, from) => {
      const text = String(message)
      received.push(text)
      if (!text.startsWith('INVITE')) return
      const copied = text.split('\r\n').filter(line => /^(?:Via|From|To|Call-ID|CSeq):/.test(line))
      socket.send(['SIP/2.0 486 Busy', ...copied, 'Content-Length: 0', '', ''].join('\r\n'), from.port, from.address)
    })
    socket.bind(carrier.port, carrier.address)
    await once(socket, 'listening')
    for (const header of ['P-Charge-Info: <sip:forged@x>', 'Diversion: <sip:forged@x>', 'X-Billed: forged'])
      assert.equal((await lab.phones.callWithHeader(desk, '0501110006', header)).refusal, 486)
    socket.close()
    assert.ok(received.some(each => each.startsWith('INVITE')))
    assert.doesNotMatch(received.join('\n'), /forged/)
  })

  test('a trunk that registers proves itself to the carrier, which calls its registration from any address', async () => {
    const carrying = await lab.phones.registrar(registered, 'acme-lines', 'a-secret-of-lines')
    writeFileSync(join(lab.folder, 'lines'), 'a-secret-of-lines')
    const account = ['--username', 'acme-lines', '--secret-file', join(lab.folder, 'lines'), '--registers']
    const host = ['--host', registered.address, '--port', String(registered.port)]
    await lab.cli('trunk', 'create', '--name', 'lines', ...host, ...account, ...ACTIVE)
    const status = await until('the gateway is registered', async () => {
      const found = /(lines-[0-9a-f]{8})[^\n]*REGED/.exec(await lab.ask('sofia status'))
      return found?.[1]
    })
    carrying.stop()
    await lab.cli('did', 'create', '--tenant', 'acme', '--number', '+380447654321', '--provider', 'lines', ...ACTIVE)
    await lab.cli('route', 'add', '--did', '+380447654321', '--target-type', 'extension', '--target', 'acme/102')
    const answering = await lab.answered(hall)
    const elsewhere = place(96)
    const called = lab.carriers.callIn(elsewhere, '380671234567', '380447654321', 700, `gw+${status}`)
    assert.deepEqual(await called, WENT)
    answering.stop()
    await answering.done
    assert.equal((await lab.recorded('380447654321')).length, 1)
    assert.equal((await lab.carriers.callIn(elsewhere, '380671234567', '380447654321', 100)).refusal, 403)
  })

  test('a trunk that is no longer active brings no calls and takes none', async () => {
    await lab.cli('trunk', 'update', 'carrier-one', '--status', 'inactive')
    assert.equal((await lab.carriers.callIn(carrier, '380671234567', '380441234567', 100)).refusal, 403)
    const taking = await lab.answered(second)
    assert.deepEqual(await lab.phones.call(desk, '0501110004', 700), WENT)
    taking.stop()
    await taking.done
    assert.equal((await lab.recorded('+380501110004')).length, 1)
    await until('its gateway is gone', async () => !/carrier-one/.test(await lab.ask('sofia profile external gwlist')))
  })
})
