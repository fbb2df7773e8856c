import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, records, skip, until, upCalls, WENT } from './lab/asterisk.ts'
import { ignoring } from './lab/ignoring.ts'
import type { Answering } from './telephones.ts'

const NET = 48
const { phone, carrier } = placesIn(NET)
const AT_ONCE = [0, 1, 2, 3, 4, 5, 6, 7]

describe('limits on the number of calls out of a real Asterisk', { skip, timeout: 300_000 }, () => {
  let lab: Lab
  let taking: Answering

  before(async () => {
    lab = await openLab(NET)
    await populate(lab)
    taking = await lab.answered(carrier)
    await until('the carrier is known to be there', async () => {
      await lab.ask('pjsip qualify _carrier')
      return /_carrier\/.* Avail /.test(await lab.ask('pjsip show contacts'))
    })
  })
  after(async () => {
    taking?.stop()
    await lab?.close()
  })

  const callsOut = async (): Promise<number> =>
    (await records(lab)).filter(({ direction }) => direction === 'outbound').length
  /** Very short calls of the same extension, eight at a time, until each of them has been refused three times. */
  const burst = async (user: string, dial = '0501110041'): Promise<number> => {
    const caller = async (place: number): Promise<number> => {
      let [went, refused] = [0, 0]
      while (refused < 3) {
        const { code, refusal } = await lab.phones.call(phone(user, 20 + place), dial, 20)
        if (code === 0) went++
        else if (refusal === 403) refused++
        else assert.fail(`${code} ${refusal}`)
      }
      return went
    }
    return (await Promise.all(AT_ONCE.map(caller))).reduce((sum, went) => sum + went, 0)
  }
  const noted = async (): Promise<number> =>
    Number(/(\d+) results found/.exec(await lab.ask('database show trunkline-ended'))?.[1] ?? 0)

  test("a burst of very short calls does not exceed an extension's limit by the hour", async () => {
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.extension.calls_per_hour=10')
    await until('the limit is loaded', async () => /TL_OUT=10/.test(await lab.ask('dialplan show start-acme')))
    assert.equal(await burst('acme-101'), 10)
    await until('all are recorded', async () => (await callsOut()) === 10)
    await until('nothing is noted any more', async () => (await noted()) === 0)
    assert.deepEqual(await lab.phones.call(phone('acme-102', 12), '0501110042', 20), WENT)
  })

  test("nor a tenant's by the day, while the daemon is stopped", async () => {
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.extension=null')
    await until('all are recorded', async () => (await callsOut()) === 11)
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.calls_per_day=20')
    await until('nine are left', async () => /tl_out\).* > 9\]/.test(await lab.ask('dialplan show spent-acme')))
    await lab.daemon.stop('SIGKILL')
    assert.equal(await burst('acme-101'), 9)
    assert.equal(await noted(), 9)
    await lab.startDaemon()
    await until('all are recorded', async () => (await callsOut()) === 20)
    await until('nothing is noted any more', async () => (await noted()) === 0)
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.calls_per_day=21')
    await until('one is left', async () => /tl_out\).* > 1\]/.test(await lab.ask('dialplan show spent-acme')))
    assert.deepEqual(await lab.phones.call(phone('acme-101', 11), '0501110043', 20), WENT)
  })

  test('a burst costs no more than the limit and the calls that were up', async () => {
    const premium = ['--prefix', '38067', '--cost-per-minute', '1', '--billing-increment', '60', '--status', 'active']
    await lab.cli('rate', 'create', '--tenant', 'acme', '--destination', 'Premium', ...premium)
    const spent = async (): Promise<number> => (await records(lab)).reduce((sum, { cost }) => sum + Number(cost), 0)
    const before = await spent()
    const limit = `limits.cost_per_day=${(before + 3).toFixed(4)}`
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.calls_per_day=null', '--settings-set', limit)
    await until('the limit is loaded', async () => /TL_WAITED/.test(await lab.ask('dialplan show spent-acme')))
    const went = await burst('acme-101', '0671110046')
    await until('all are recorded', async () => Math.round((await spent()) - before) === went)
    assert.ok(went >= 3 && went <= 3 + AT_ONCE.length, `${went} calls at 1.00 each`)
    await lab.cli('tenant', 'update', 'acme', '--settings-set', 'limits.cost_per_day=null')
  })

  test('a call takes a place whatever the carrier answers', async () => {
    taking.stop()
    await taking.done
    const before = await callsOut()
    await lab.cli('tenant', 'update', 'acme', '--settings-set', `limits.calls_per_day=${before + 2}`)
    await until('two are left', async () => /tl_out\).* > 2\]/.test(await lab.ask('dialplan show spent-acme')))
    await lab.daemon.stop('SIGKILL')
    const close = await ignoring(carrier, '404 Not Found')
    assert.equal((await lab.phones.call(phone('acme-101', 11), '0501110045', 20)).refusal, 404)
    await close()
    await until('it has ended', async () => (await upCalls(lab)) === 0)
    assert.equal(await noted(), 1)
    await lab.startDaemon()
    await until('it is recorded', async () => (await callsOut()) === before + 1)
    await until('nothing is noted any more', async () => (await noted()) === 0)
  })

  test('a call that reaches no carrier takes no place', async () => {
    await until('the carrier is known to be away', async () => {
      await lab.ask('pjsip qualify _carrier')
      return /_carrier\/.* Unavail /.test(await lab.ask('pjsip show contacts'))
    })
    await lab.cli('tenant', 'update', 'acme', '--settings-set', `limits.calls_per_day=${(await callsOut()) + 2}`)
    await until('two are left', async () => /tl_out\).* > 2\]/.test(await lab.ask('dialplan show spent-acme')))
    assert.notEqual((await lab.phones.call(phone('acme-101', 11), '0501110044', 20)).refusal, null)
    await until('it has ended', async () => (await upCalls(lab)) === 0)
    assert.equal(await noted(), 0)
  })
})
