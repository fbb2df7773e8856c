import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { channelsIn, SHOW_CHANNELS } from '../../adapters/freeswitch/socket/channels.ts'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'
import type { Answering } from './telephones.ts'

const NET = 46
const { phone, carrier } = placesIn(NET)
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)
const ADDRESS = `127.0.${NET}.1`

/** The number that a telephone redirects or transfers a call to, by 302 or by REFER. */
describe('calls that a telephone of a real FreeSWITCH sends on', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab({ net: NET })
    await populate(lab)
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.blocked_prefixes=["+38090"]')
    for (const each of [desk, hall]) assert.deepEqual(await lab.phones.register(each), WENT)
  })
  after(() => lab?.close())

  const sending = (how: 'redirect' | 'answer-transfer', to: string): Promise<Answering> => {
    return lab.phones.sendOn(hall, how, `${to}@${ADDRESS}`)
  }
  const idle = (): Promise<true> => until('no call is up', async () => (await lab.channels()) === 0)

  test("an internal call redirected outside follows the caller's rules, and is billed", () =>
    lab.taken(carrier, async () => {
      const redirecting = await sending('redirect', '0501110011')
      assert.deepEqual(await lab.phones.call(desk, '102', 1_300), WENT)
      await redirecting.done
      const records = await lab.recorded('+380501110011')
      assert.deepEqual(
        records.map(({ caller_number, direction, cost }) => [caller_number, direction, cost]),
        [['101', 'outbound', '0.0200']],
      )
    }))

  test('a redirection to a blocked number is refused', () =>
    lab.taken(carrier, async () => {
      const redirecting = await sending('redirect', '0901110012')
      assert.equal((await lab.phones.call(desk, '102', 500)).refusal, 403)
      await redirecting.done
      await idle()
    }))

  test("a carrier's call redirected outside belongs to whoever redirected it", () =>
    lab.taken(carrier, async () => {
      const redirecting = await sending('redirect', '0901110013')
      const other = placesIn(NET).place(99)
      assert.equal(
        (await lab.carriers.callIn({ ...other, port: 25_570 }, '380671234567', '380441234567', 500)).refusal,
        403,
      )
      await redirecting.done
      const allowed = await sending('redirect', '0501110013')
      assert.deepEqual(
        await lab.carriers.callIn({ ...other, port: 25_570 }, '380671234567', '380441234567', 1_300),
        WENT,
      )
      await allowed.done
      const records = await lab.recorded('+380501110013')
      assert.deepEqual(
        records.map(({ caller_number, direction, cost }) => [caller_number, direction, cost]),
        [['102', 'outbound', '0.0200']],
      )
    }))

  test('a transfer outside follows the same rules, and its whole duration is billed', () =>
    lab.taken(carrier, async () => {
      const transferring = await sending('answer-transfer', '0501110014')
      assert.deepEqual(await lab.phones.call(desk, '102', 3_000), WENT)
      assert.deepEqual(await transferring.done, WENT)
      const records = await lab.recorded('+380501110014')
      assert.deepEqual(
        records.map(({ direction, cost }) => [direction, Number(cost) >= 0.02]),
        [['outbound', true]],
      )
      await idle()
    }))

  test('a transfer to a blocked number ends the call', () =>
    lab.taken(carrier, async () => {
      const transferring = await sending('answer-transfer', '0901110015')
      await lab.phones.call(desk, '102', 5_000)
      await transferring.done
      await idle()
    }))

  test('a transferred outgoing call is billed to whoever transferred it, for its whole duration', () =>
    lab.taken(carrier, async () => {
      assert.deepEqual(await lab.phones.callAndTransfer(desk, '0501110016', 700, '0501110017'), WENT)
      await until('the second carrier has answered', async () => {
        const legs = channelsIn(await lab.ask(SHOW_CHANNELS))
        return legs.some(({ isAnswered, mark }) => isAnswered && mark?.trunk && mark.number === '+380501110017')
      })
      await lab.ask('hupall NORMAL_CLEARING accountcode acme')
      for (const number of ['+380501110016', '+380501110017']) {
        const [record, ...others] = await lab.recorded(number)
        assert.deepEqual([record?.caller_number, record?.direction, others.length], ['101', 'outbound', 0])
        assert.ok(Number(record?.cost) > 0, number)
      }
      await idle()
    }))

  test('a telephone cannot make a call out with the permissions of the telephone that it has called', () =>
    lab.taken(carrier, async () => {
      await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.extensions={"101":{"calls_per_day":0}}')
      const answering = await lab.answered(hall)
      await lab.phones.callAndTransfer(desk, '102', 700, '0501110023')
      answering.stop()
      await answering.done
      await idle()
      assert.deepEqual(await lab.recordsTo('+380501110023'), [])
      await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.extensions={}')
    }))

  test('an outgoing call cannot be transferred to a blocked number', () =>
    lab.taken(carrier, async () => {
      await lab.phones.callAndTransfer(desk, '0501110018', 700, '0901110018')
      await idle()
      assert.equal((await lab.recorded('+380501110018')).length, 1)
    }))

  test('a carrier can neither redirect a call nor transfer the telephone that called', async () => {
    const redirecting = await lab.phones.sendOn(carrier, 'redirect', `0501110020@${ADDRESS}`)
    assert.equal((await lab.phones.call(desk, '0501110019', 500)).refusal, 503)
    await redirecting.done
    const transferring = await lab.phones.sendOn(carrier, 'answer-transfer', `0501110020@${ADDRESS}`)
    assert.deepEqual(await lab.phones.call(desk, '0501110019', 1_500), WENT)
    assert.equal((await transferring.done).refusal, 405)
    await idle()
  })

  test('a telephone that names another host has no carrier called without a trunk', async () => {
    const received: string[] = []
    const socket = createSocket('udp4', message => received.push(String(message)))
    socket.bind(carrier.port, carrier.address)
    await once(socket, 'listening')
    const there = `${carrier.address}:${carrier.port}`
    try {
      const redirecting = await lab.phones.sendOn(hall, 'redirect', `0901110021@${there}`)
      assert.equal((await lab.phones.call(desk, '102', 500)).refusal, 403)
      await redirecting.done
      const replaced = 'Replaces=none%3Bto-tag%3Da%3Bfrom-tag%3Db'
      const transferring = await lab.phones.sendOn(hall, 'answer-transfer', `0901110022@${there}?${replaced}`)
      assert.deepEqual(await lab.phones.call(desk, '102', 2_000), WENT)
      assert.deepEqual(await transferring.done, WENT)
      await idle()
      assert.deepEqual(received, [])
    } finally {
      socket.close()
      await once(socket, 'close')
    }
  })

  test('no other number was called', async () => {
    const all = await lab.cli('cdr', 'list')
    const numbers = (Array.isArray(all) ? all : []).map(each => String(each.destination_number))
    assert.ok(numbers.includes('+380501110019'))
    assert.doesNotMatch(numbers.join(' '), /90111|01110020/)
  })
})
