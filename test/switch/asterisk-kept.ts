import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, until, upCalls, WENT } from './lab/asterisk.ts'
import type { Place } from './telephones.ts'

const NET = 45
const { phone, carrier } = placesIn(NET)
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)

/** The channels of a call out: of the phone, the two halves of its line, and of the carrier. */
const OF_CALL_OUT = 4

describe('what a real Asterisk shows, refuses and keeps', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab(NET)
    await populate(lab)
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
  })
  after(() => lab?.close())

  const taken = async (at: Place, run: () => Promise<void>): Promise<void> => {
    const taking = await lab.answered(at)
    if (at === carrier)
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
  const rows = async (...args: string[]): Promise<Record<string, unknown>[]> => {
    const found = await lab.cli(...args)
    return Array.isArray(found) ? found : []
  }

  test('the command line shows who is registered, who is talking, and ends a call', () =>
    taken(hall, async () => {
      assert.deepEqual((await rows('phones')).map(({ tenant, extension }) => `${tenant}/${extension}`).toSorted(), [
        'acme/101',
        'acme/102',
      ])
      const calling = lab.phones.call(desk, '102', 60_000)
      const [call] = await until('the call is shown', async () => {
        const calls = await rows('calls')
        return calls.length > 0 && calls
      })
      assert.deepEqual([call?.['tenant'], call?.['extension'], call?.['to']], ['acme', '101', '102'])
      await lab.cli('calls', 'end', String(call?.['id']))
      await calling
      assert.deepEqual(await rows('calls'), [])
    }))

  test('a call to a queue is no call out', () =>
    taken(hall, async () => {
      assert.deepEqual(await lab.phones.call(desk, '800', 700), WENT)
      const [record] = await lab.recorded('800')
      assert.deepEqual([record?.direction, record?.cost], ['inbound', '0.0000'])
    }))

  test('after the record that reaches a limit of money, calls out are refused within a second', () =>
    taken(carrier, async () => {
      await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.cost_per_day=0.02')
      assert.deepEqual(await lab.phones.call(desk, '0501110021', 2_300), WENT)
      await lab.recorded('+380501110021')
      const stored = performance.now()
      await until('it is refused', async () => (await lab.phones.call(desk, '0501110022', 100)).refusal === 403)
      const ms = performance.now() - stored
      assert.ok(ms < 1_500, `refused after ${ms} ms`)
      await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.cost_per_day=1000')
      await until('calls go out again', async () => (await lab.phones.call(desk, '0501110023', 700)).code === 0)
    }))

  test('calls out are refused once a call in progress costs what is left of a limit of money', () =>
    taken(carrier, async () => {
      const day = await rows('cdr', 'list')
      const spent = day.reduce((sum, { cost }) => sum + Number(cost), 0)
      const limit = (spent + 0.04).toFixed(4)
      await lab.cli('tenant', 'update', 'acme', '--settings-set', `limits.cost_per_day=${limit}`)
      const calling = lab.phones.call(desk, '0501110031', 15_000)
      await until('the call is up', async () => (await upCalls(lab)) === OF_CALL_OUT)
      const began = performance.now()
      await until('no call is left', async () => /tl_out\).* > 0\]/.test(await lab.ask('dialplan show spent-acme')))
      const ms = performance.now() - began
      assert.ok(ms < 9_000, `refused after ${ms} ms, by the cost of four seconds`)
      assert.equal((await lab.phones.call(hall, '0501110032', 100)).refusal, 403)
      assert.equal(await upCalls(lab), OF_CALL_OUT, 'the call goes on')
      assert.deepEqual(await calling, WENT)
      await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.cost_per_day=1000')
      await until('calls go out again', async () => (await lab.phones.call(desk, '0501110033', 700)).code === 0)
    }))

  test('a daemon that is killed under calls loses and doubles no record, and phones stay registered', () =>
    taken(hall, async () => {
      const before = (await rows('cdr', 'list')).length
      const calls = [1, 2, 3].map(n => lab.phones.call(phone('acme-101', 30 + n), '102', 1_500))
      await until('a call is up', async () => /Up/.test(await lab.ask('core show channels concise')))
      await lab.daemon.stop('SIGKILL')
      assert.deepEqual(await Promise.all(calls), [WENT, WENT, WENT])
      assert.match(await lab.ask('pjsip show contacts'), /acme-102\//)
      await lab.startDaemon()
      await until('all are recorded', async () => (await rows('cdr', 'list')).length >= before + 3)
      assert.equal((await rows('cdr', 'list')).length, before + 3)
    }))
})
