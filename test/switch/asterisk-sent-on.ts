import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, records, skip, until, upCalls, WENT } from './lab/asterisk.ts'
import type { Answering, Place } from './telephones.ts'

const NET = 43
const { phone, carrier, address } = placesIn(NET)
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)

/** The number that a phone redirects or transfers a call to, by 302 or by REFER. */
describe('calls that a phone of a real Asterisk sends on', { skip, timeout: 400_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab(NET)
    await populate(lab)
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.blocked_prefixes=["+38090"]')
    await until('the limit is loaded', async () => /_\+38090/.test(await lab.ask('dialplan show permit-acme')))
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
  })
  after(() => lab?.close())

  const sending = (how: 'redirect' | 'answer-transfer', dial: string): Promise<Answering> => {
    return lab.phones.sendOn(hall, how, `${dial}@${address}`)
  }
  const taken = async (at: Place, run: () => Promise<void>): Promise<void> => {
    const taking = await lab.answered(at)
    await until('the carrier is known to be there', async () => {
      await lab.ask('pjsip qualify _carrier')
      return /_carrier\/.* Avail /.test(await lab.ask('pjsip show contacts'))
    })
    try {
      await run()
    } finally {
      taking.stop()
      await taking.done
    }
  }
  const idle = (): Promise<true> => until('no call is up', async () => (await upCalls(lab)) === 0)

  test('a redirection is not followed, wherever it leads', () =>
    taken(carrier, async () => {
      const redirecting = await sending('redirect', '0501110011')
      assert.notEqual((await lab.phones.call(desk, '102', 500)).refusal, null)
      await redirecting.done
      await idle()
    }))

  test('nor is that of an agent of a queue, which may name any channel', () =>
    taken(carrier, async () => {
      const redirecting = await sending('redirect', 'PJSIP%2F+380901110012%40_carrier')
      assert.notEqual((await lab.phones.call(desk, '800', 500)).refusal, null)
      await redirecting.done
      await idle()
    }))

  test('a transfer outside follows the rules, and is billed to whoever transferred the call', () =>
    taken(carrier, async () => {
      const transferring = await sending('answer-transfer', '0501110014')
      await lab.phones.call(desk, '102', 3_000)
      await transferring.done
      const found = await lab.recorded('+380501110014')
      assert.deepEqual(
        found.map(({ direction, cost }) => [direction, Number(cost) > 0]),
        [['outbound', true]],
      )
      await idle()
    }))

  test('a transfer to a blocked number ends the call', () =>
    taken(carrier, async () => {
      const transferring = await sending('answer-transfer', '0901110015')
      await lab.phones.call(desk, '102', 5_000)
      await transferring.done
      await idle()
    }))

  test('a called outside party that is transferred follows the rules of whoever transferred, and is billed twice', () =>
    taken(carrier, async () => {
      assert.deepEqual(await lab.phones.callAndTransfer(desk, '0501110016', 700, '0501110017'), WENT)
      await until('the second call is up', async () => /0501110017/.test(await lab.ask('core show channels concise')))
      await lab.ask('channel request hangup all')
      for (const number of ['+380501110016', '+380501110017']) {
        const [record, ...others] = await lab.recorded(number)
        assert.deepEqual([record?.direction, others.length], ['outbound', 0], JSON.stringify(record))
        assert.ok(Number(record?.cost) > 0, number)
      }
      await idle()
    }))

  test('an outside party that is transferred inside stays a call out of whoever called it, until it has ended', () =>
    taken(carrier, async () => {
      const answering = await lab.answered(hall)
      await lab.phones.callAndTransfer(desk, '0501110021', 700, '102')
      await until('it is put through', async () => /PJSIP\/acme-102-/.test(await lab.ask('core show channels concise')))
      assert.match(await lab.ask('group show channels'), /acme-101 +tl_out_extension/)
      await lab.ask('channel request hangup all')
      await idle()
      const [record, ...others] = await lab.recorded('+380501110021')
      assert.deepEqual([record?.direction, record?.caller_number, others.length], ['outbound', '101', 0])
      const inside = (await lab.recorded('102')).find(({ caller_number }) => caller_number === '+380501110021')
      assert.ok(Number(record?.duration_seconds) >= Number(inside?.duration_seconds), JSON.stringify([record, inside]))
      answering.stop()
      await answering.done
    }))

  test('an outside party cannot be transferred to a blocked number', () =>
    taken(carrier, async () => {
      await lab.phones.callAndTransfer(desk, '0501110018', 700, '0901110018')
      await idle()
      assert.equal((await lab.recorded('+380501110018')).length, 1)
    }))

  test('a carrier can neither redirect a call nor transfer the phone that called', async () => {
    const redirecting = await lab.phones.sendOn(carrier, 'redirect', `0501110020@${address}`)
    assert.notEqual((await lab.phones.call(desk, '0501110019', 500)).refusal, null)
    await redirecting.done
    const transferring = await lab.phones.sendOn(carrier, 'answer-transfer', `0501110020@${address}`)
    await lab.phones.call(desk, '0501110019', 1_500)
    assert.notEqual((await transferring.done).code, 0)
    await idle()
  })

  test('no other number was called', async () => {
    const all = await records(lab)
    assert.doesNotMatch(JSON.stringify(all), /90111|01110020/)
    const strange = all.filter(({ destination_number }) => !/^\+?\d+$/.test(destination_number))
    assert.deepEqual(strange, [], 'a refused transfer leaves no record of its own')
  })
})
