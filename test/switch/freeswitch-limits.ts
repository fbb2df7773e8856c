import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'

const NET = 47
const { phone, carrier } = placesIn(NET)
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)

/** The daemon's own requests of the switch, with another token. */
const lookUp = (url: string, token: string): Promise<Response> =>
  fetch(`${url}/freeswitch/xml`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`freeswitch:${token}`).toString('base64')}` },
    body: new URLSearchParams({ section: 'directory', purpose: 'gateways' }),
  })

describe('what a real FreeSWITCH refuses, keeps and records', { skip, timeout: 300_000 }, () => {
  let lab: Lab
  const metricsPort = 25_000 + NET * 10 + 2

  before(async () => {
    lab = await openLab({ net: NET, environment: { TRUNKLINE_METRICS_PORT: String(metricsPort) } })
    await populate(lab)
    for (const each of [desk, hall]) assert.deepEqual(await lab.phones.register(each), WENT)
  })
  after(() => lab?.close())

  const metric = async (series: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find(line => line.startsWith(`${series} `))
        ?.slice(series.length) ?? 0,
    )
  }
  const limited = (...settings: string[]): Promise<unknown> =>
    lab.cli('tenant', 'update', 'acme', ...settings.flatMap(each => ['--settings-set', `limits.${each}`]))

  test('a request with another token gets 401, and is counted', async () => {
    const series = 'trunkline_switch_decisions_total{what="request",refusal="token"}'
    const before = await metric(series)
    const refused = await lookUp(lab.lookupUrl, 'x'.repeat(32))
    assert.equal(refused.status, 401)
    assert.doesNotMatch(await refused.text(), /gateway/)
    assert.equal((await lookUp(lab.daemon.url, lab.token)).status, 200)
    assert.equal((await lookUp(lab.lookupUrl, lab.token)).status, 200)
    await until('it is counted', async () => (await metric(series)) === before + 1)
  })

  test('a second concurrent call is refused where the limit is one', () =>
    lab.taken(carrier, async () => {
      await limited('concurrent_calls=1')
      const first = lab.phones.call(desk, '0501110032', 1_500)
      await until('the call is up', async () => (await lab.channels()) === 2)
      assert.equal((await lab.phones.call(hall, '0501110033', 500)).refusal, 403)
      await first
      await limited('concurrent_calls=100')
      await lab.recorded('+380501110032')
    }))

  test('a call that has ended, or that the carrier refused, makes room for the next at once', async () => {
    await limited('concurrent_calls=1')
    await lab.taken(carrier, async () => {
      for (const last of ['6', '7']) assert.deepEqual(await lab.phones.call(desk, `050111003${last}`, 300), WENT)
    })
    const refusing = await lab.phones.refuse(carrier, 486)
    assert.equal((await lab.phones.call(desk, '0501110038', 300)).refusal, 486)
    await refusing.done
    await lab.taken(carrier, async () => assert.deepEqual(await lab.phones.call(desk, '0501110039', 300), WENT))
    await limited('concurrent_calls=100')
  })

  test('a call out ends at its longest duration', () =>
    lab.taken(carrier, async () => {
      await limited('max_call_seconds=2')
      await lab.phones.call(desk, '0501110031', 20_000)
      const [record] = await lab.recorded('+380501110031')
      assert.ok([2, 3].includes(record?.duration_seconds ?? 0), JSON.stringify(record))
    }))

  test("once the day's money is spent, the next call is refused, and the limit shows everywhere", () =>
    lab.taken(carrier, async () => {
      await limited('cost_per_day=0.03', 'max_call_seconds=60')
      // The previous calls have cost some already.
      await until('the limit is reached', async () => {
        const { refusal } = await lab.phones.call(desk, '0501110034', 1_500)
        return refusal === 403
      })
      assert.equal((await lab.phones.call(hall, '0501110035', 500)).refusal, 403)
      const refusals = 'trunkline_switch_decisions_total{what="call",refusal="limit reached"}'
      await until('both refusals are counted', async () => (await metric(refusals)) >= 2)
      assert.equal(await metric('trunkline_limit_reached_total{limit="cost_per_day"}'), 1)
      assert.match(JSON.stringify(await lab.cli('audit', 'list')), /limit-reached/)
      assert.match(JSON.stringify(await lab.doctor()), /limit_reached/)
      assert.deepEqual(await lab.recordsTo('+380501110035'), [])
      await limited('cost_per_day=100')
    }))

  test('calls that end while another program holds the database count all the same', () =>
    lab.taken(carrier, async () => {
      await limited('extensions={"102":{"calls_per_day":1}}')
      const database = new Database(join(lab.folder, 'test.db'))
      database.exec('BEGIN IMMEDIATE')
      assert.deepEqual(await lab.phones.call(hall, '0501110043', 300), WENT)
      // FreeSWITCH gave up after 2 s.
      const deadline = performance.now() + 4_000
      while (performance.now() < deadline) assert.equal((await lab.phones.call(hall, '0501110044', 300)).refusal, 403)
      database.exec('COMMIT')
      database.close()
      assert.equal((await lab.recorded('+380501110043')).length, 1)
      await limited('extensions={}')
    }))

  test('a daemon that is killed in mid-call stores the record once, from the folder', async () => {
    const answering = await lab.answered(hall)
    const calling = lab.phones.call(desk, '102', 2_000)
    await until('the call is up', async () => (await lab.channels()) === 2)
    await lab.daemon.stop('SIGKILL')
    assert.deepEqual(await calling, WENT)
    answering.stop()
    await answering.done
    await lab.startDaemon()
    const [record, ...others] = await lab.recorded('102')
    assert.deepEqual([record?.disposition, others.length], ['ANSWERED', 0])
    await until('nothing waits', async () => lab.waiting() === 0)
    assert.equal((await lab.recorded('102')).length, 1)
  })

  test('calls that ended while the daemon was away count before another is put through', () =>
    lab.taken(carrier, async () => {
      await limited('extensions={"102":{"calls_per_day":2}}')
      const calling = lab.phones.call(hall, '0501110041', 1_500)
      await until('the call is up', async () => (await lab.channels()) === 2)
      await lab.daemon.stop('SIGKILL')
      assert.deepEqual(await calling, WENT)
      await until('its record waits', async () => lab.waiting() === 1)
      leaveBefore(join(lab.folder, 'cdr'), 400)
      let isStored = false
      const started = lab.startDaemon().then(async () => {
        await lab.recorded('+380501110041')
        isStored = true
      })
      const trying = [21, 22, 23, 24, 25].map(async host => {
        while (!isStored) await lab.phones.call(phone('acme', '102', host), '0501110042', 300)
      })
      await Promise.all([started, ...trying])
      await until('no call is up', async () => (await lab.channels()) === 0)
      assert.deepEqual(await lab.recordsTo('+380501110042'), [])
    }))
})

/** Leaves copies of the only record there, as of calls inside; they are stored before it. */
function leaveBefore(folder: string, count: number): void {
  const [name = ''] = readdirSync(folder)
  const text = readFileSync(join(folder, name), 'utf8').replaceAll('outbound', 'inbound')
  const [id = ''] = name.split('.')
  for (let copy = 0; copy < count; copy++)
    writeFileSync(join(folder, `-${copy}.cdr.json`), text.replaceAll(id, randomUUID()))
}
