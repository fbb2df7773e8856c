import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DaemonProcess } from '../../support/daemon.ts'
import { ended } from '../../support/http/jobs.ts'
import { type Desk, HEADER, PART, rates, run, sendPart, uploaded } from '../../support/http/transfers.ts'
import { newDatabase } from '../../support/postgres/databases.ts'
import { browser, calls, storedBy, untilRows } from './browser.ts'
import { createTenant, login, startFleet, startMember, valuesIn } from './fleet.ts'

describe('three daemons behind a balancer', { timeout: 180_000 }, () => {
  let db: string
  let fleet: DaemonProcess[] = []
  let desk: Desk
  before(async () => {
    db = await newDatabase()
    fleet = await startFleet(db, 3)
    await createTenant(db, 'acme')
    desk = browser(() => fleet, await login(fleet[0]?.url ?? ''))
  })
  after(() => Promise.all(fleet.map(daemon => daemon.stop('SIGKILL'))))

  it('take the parts of an upload, check and import it, and show its report, whichever is asked', async () => {
    const content = Buffer.from(`${HEADER}\n${rates(3_000)}1,,x,60,active\n`)
    const { data } = (await desk.ask('POST', '/api/console/uploads', { name: 'deck.csv', bytes: content.length })).json
    for (let at = 0; at < content.length; at += 10_000) {
      assert.equal((await sendPart(desk, data.id, at, content.subarray(at, at + 10_000))).status, 200)
      const { offset } = (await desk.ask('GET', `/api/console/uploads/${data.id}`)).json.data
      assert.equal(offset, Math.min(at + 10_000, content.length))
    }
    const body = { upload: data.id, tenant: 1, on_error: 'continue' }
    const checked = await run(desk, 'rates', { ...body, dry_run: true })
    assert.deepEqual([checked.state, checked.outcome.created, checked.outcome.rejected], ['done', 3_000, 1])
    const done = await run(desk, 'rates', body)
    assert.deepEqual([done.state, done.outcome.created], ['done', 3_000])
    for (const _ of fleet) {
      const { errors } = (await desk.ask('GET', `/api/console/jobs/${done.id}/errors`)).json.data
      assert.deepEqual([errors.length, errors[0].line], [2, 3_002])
      const { text } = await desk.ask('GET', `/api/console/jobs/${done.id}/file`)
      assert.equal(text.split('\n').at(-2)?.endsWith('1,,x,60,active'), true)
      assert.equal((await desk.ask('GET', `/api/console/uploads/${data.id}`)).status, 404)
    }
    const exported = (await desk.ask('POST', '/api/console/exports/rates', {})).json.data
    assert.equal((await ended(desk.ask, exported.id)).state, 'done')
    for (const _ of fleet) {
      const { text } = await desk.ask('GET', `/api/console/jobs/${exported.id}/file`)
      assert.equal(text.trimEnd().split('\n').length, 3_001)
    }
    assert.equal((await desk.ask('DELETE', `/api/console/jobs/${exported.id}`)).status, 200)
    for (const _ of fleet) assert.equal((await desk.ask('GET', `/api/console/jobs/${exported.id}`)).status, 404)
  })

  it('give way to the client that continues an upload at another one', async () => {
    const { data } = (await desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes: 6 })).json
    const hanging = new AbortController()
    let more: ReadableStreamDefaultController | null = null
    const start = (stream: ReadableStreamDefaultController): void => {
      more = stream
      stream.enqueue(Buffer.from('abc'))
    }
    const stalled = fetch(`${desk.url}/api/console/uploads/${data.id}`, {
      method: 'PATCH',
      signal: hanging.signal,
      headers: { cookie: desk.session, 'content-type': PART, 'upload-offset': '0' },
      body: new ReadableStream({ start }),
      duplex: 'half',
    } as RequestInit).catch(() => null)
    const offset = async () => (await desk.ask('GET', `/api/console/uploads/${data.id}`)).json.data.offset
    while ((await offset()) < 3) await pause(10)
    assert.equal((await sendPart(desk, data.id, 3, Buffer.from('de'))).status, 200)
    ;(more as ReadableStreamDefaultController | null)?.enqueue(Buffer.from('xyz'))
    const answer = await stalled
    assert.equal(answer?.status, 200)
    assert.equal(await offset(), 5)
    hanging.abort()
    assert.deepEqual(
      await valuesIn(
        db,
        `SELECT string_agg(convert_from(bytes, 'UTF8'), '' ORDER BY at) FROM job_chunks
        WHERE name = 'upload' AND id = ${data.id}`,
      ),
      ['abcde'],
    )
  })

  it('count the uploads of an account together', async () => {
    const { data: before } = (await desk.ask('GET', '/api/console/jobs')).json
    for (const { id } of before) await desk.ask('DELETE', `/api/console/jobs/${id}`)
    const [kept] = await valuesIn(db, 'SELECT count(*) FROM uploads')
    const begin = () => desk.ask('POST', '/api/console/uploads', { name: 'a', bytes: 1 })
    const answers = await Promise.all(Array.from({ length: 30 }, begin))
    const begun = answers.filter(({ status }) => status === 201)
    assert.equal(begun.length + Number(kept), 20)
    for (const { json } of begun) await desk.ask('DELETE', `/api/console/uploads/${json.data.id}`)
  })

  it('stop and resume an import of calls from any of them, and store each call once', async () => {
    const count = 120_000
    const upload = await uploaded(desk, calls(count, '81'), 'calls.csv')
    const { id } = (await desk.ask('POST', '/api/console/imports/cdrs', { upload, tenant: 1 })).json.data
    await untilRows(desk, id, 1)
    const { data: stopped } = (await desk.ask('POST', `/api/console/jobs/${id}/stop`)).json
    assert.equal(stopped.state, 'stopped', JSON.stringify(stopped))
    assert.equal(stopped.can_resume, true)
    assert.deepEqual(await storedBy(db, '81'), [`${stopped.stored} ${stopped.stored}`])
    assert.equal((await desk.ask('POST', `/api/console/jobs/${id}/resume`)).status, 200)
    const done = await ended(desk.ask, id)
    assert.deepEqual([done.state, done.outcome.created], ['done', count])
    assert.deepEqual(await storedBy(db, '81'), [`${count} ${count}`])
  })
})

describe('a daemon that is killed', { timeout: 180_000 }, () => {
  it('leaves jobs that are interrupted within 5 s, and that another resumes without loss or doubling', async t => {
    const db = await newDatabase()
    const first = await startMember(db)
    t.after(() => first.stop('SIGKILL'))
    await createTenant(db, 'acme')
    const fleet = [first]
    const desk = browser(() => fleet, await login(first.url))
    const [count, prefixes] = [300_000, 150_000]
    const ofCalls = await uploaded(desk, calls(count, '82'), 'calls.csv')
    const ofRates = await uploaded(desk, `${HEADER}\n${rates(prefixes)}`, 'deck.csv')
    const begin = async (path: string, body: object) =>
      (await desk.ask('POST', `/api/console/${path}`, body)).json.data.id
    const importing = await begin('imports/cdrs', { upload: ofCalls, tenant: 1 })
    await untilRows(desk, importing, 1)
    const other = await startMember(db)
    t.after(() => other.stop('SIGKILL'))
    const deck = await begin('imports/rates', { upload: ofRates, tenant: 1 })
    await untilRows(desk, deck, 1)
    await first.stop('SIGKILL')
    const since = performance.now()
    fleet.splice(0, 1, other)
    const [left, leftDeck] = [await ended(desk.ask, importing), await ended(desk.ask, deck)]
    assert.ok(performance.now() - since < 5_000, `ended after ${performance.now() - since} ms`)
    for (const job of [left, leftDeck])
      assert.deepEqual(
        [job.state, job.can_resume, job.failure],
        ['interrupted', true, 'The service ended while it ran.'],
      )
    const [stored = ''] = await storedBy(db, '82')
    const [total, different] = stored.split(' ').map(Number)
    assert.equal(total, different)
    assert.ok(Number(total) < count)
    assert.deepEqual(await valuesIn(db, 'SELECT count(*) FROM rates'), ['0'])
    for (const id of [importing, deck])
      assert.equal((await desk.ask('POST', `/api/console/jobs/${id}/resume`)).status, 200)
    const [done, doneDeck] = [await ended(desk.ask, importing), await ended(desk.ask, deck)]
    assert.deepEqual([done.state, done.outcome?.created], ['done', count], JSON.stringify(done))
    assert.deepEqual([doneDeck.state, doneDeck.outcome?.created], ['done', prefixes], JSON.stringify(doneDeck))
    assert.deepEqual(await storedBy(db, '82'), [`${count} ${count}`])
    assert.deepEqual(await valuesIn(db, 'SELECT count(*) FROM rates'), [String(prefixes)])
    assert.deepEqual(await valuesIn(db, 'SELECT count(*) FROM job_chunks'), ['0'])
  })
})
