import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { DaemonProcess } from '../../support/daemon.ts'
import { sampleBody } from '../../support/data/samples.ts'
import { ndjsonRow } from '../../support/data/switch.ts'
import { uploaded } from '../../support/http/transfers.ts'
import { type FakeGateway, json, MESSAGE, startGateway } from '../../support/messaging/gateway.ts'
import { browser, calls, storedBy } from './browser.ts'
import { type Answer, request, valuesIn } from './fleet.ts'

/** Daemons that answer at the moment. */
type Alive = () => readonly DaemonProcess[]

/** Something that clients do until the signal aborts. It may then finish what it began. */
export interface Load {
  readonly done: Promise<unknown>
  /** How much was acknowledged so far. */
  acknowledged(): number
  /** Fails if anything acknowledged is not there, or is there twice. */
  assertKept(db: string): Promise<void>
}

/** Sends a request to one daemon after the other until one does it. Fails if one refuses. */
async function insist(alive: Alive, ask: (url: string) => Promise<Answer>): Promise<Answer> {
  for (let n = 0; ; n++) {
    const fleet = alive()
    const answer = await ask(fleet[n % fleet.length]?.url ?? '').catch(() => null)
    if (answer !== null && answer.status < 500) {
      assert.equal(answer.status, 200, JSON.stringify(answer))
      return answer
    }
    await pause(20)
  }
}

/** A switch that appends calls to the feed, each of which the feed's file acknowledges. */
export function feeding(path: string, signal: AbortSignal): Load {
  let rows = 0
  const write = async (): Promise<void> => {
    while (!signal.aborted) {
      appendFileSync(path, ndjsonRow({ id: `feed-${rows++}`, from: '101' }))
      await pause(5)
    }
  }
  return {
    done: write(),
    acknowledged: () => rows,
    assertKept: async db => {
      const stored = async (): Promise<string | undefined> =>
        (await valuesIn(db, 'SELECT count(*) FROM cdr_ratings'))[0]
      while (Number(await stored()) < rows) await pause(50)
      assert.equal(await stored(), String(rows))
    },
  }
}

/** Somebody who changes one record again and again. */
export function changing(alive: Alive, cookie: string, signal: AbortSignal): Load {
  let [tried, known] = [0, 0]
  const change = async (): Promise<void> => {
    while (!signal.aborted) {
      const n = ++tried
      const json = { ...sampleBody(resourceNamed('tenants')), slug: 'acme', name: `Acme ${n}` }
      await insist(alive, url => request(url, 'PATCH', '/api/tenants/1', { cookie, json }))
      known = n
    }
  }
  return {
    done: change(),
    acknowledged: () => known,
    assertKept: async db => assert.deepEqual(await valuesIn(db, 'SELECT name FROM tenants'), [`Acme ${known}`]),
  }
}

/**
 * A gateway that takes messages and delivers a receipt of each, every second one before it has answered the sender,
 * and each again until it is acknowledged.
 */
export async function messaging(alive: Alive, cookie: string, signal: AbortSignal): Promise<Load> {
  const gateway = await startGateway()
  const id = await gatewayAt(alive, cookie, gateway)
  const [sent, received] = [new Set<string>(), new Set<string>()]
  const deliver = async (externalId: string): Promise<void> => {
    const receipt = { id: externalId, message_status: 'DELIVRD' }
    await insist(alive, url => request(url, 'POST', `/api/sms-gateways/${id}/dlr`, { json: receipt }))
    received.add(externalId)
  }
  let taken = 0
  gateway.answer(async response => {
    const externalId = `gw-${++taken}`
    if (taken % 2 === 0) await deliver(externalId)
    json(response, 200, { id: externalId })
  })
  const send = async (): Promise<void> => {
    for (let n = 0; !signal.aborted; n++) {
      const fleet = alive()
      const url = fleet[n % fleet.length]?.url ?? ''
      const path = `/api/sms-gateways/${id}/send`
      const answer = await request(url, 'POST', path, { cookie, json: MESSAGE }).catch(() => null)
      const externalId = answer?.status === 200 ? String(answer.data['external_message_id']) : null
      if (externalId === null || answer?.data['delivery_status'] === 'failed') await pause(20)
      else {
        sent.add(externalId)
        if (!received.has(externalId)) await deliver(externalId)
      }
    }
  }
  return {
    done: send().finally(() => gateway.close()),
    acknowledged: () => received.size,
    assertKept: async db => {
      const there = await valuesIn(db, `SELECT external_message_id FROM sms_messages WHERE delivery_status = 'delivrd'`)
      const ofAll = await valuesIn(db, 'SELECT external_message_id FROM sms_messages')
      const parked = await valuesIn(db, 'SELECT external_message_id FROM parked_receipts')
      assert.equal(new Set(there).size, there.length, 'a message is stored twice')
      const lost = (acknowledged: ReadonlySet<string>, kept: readonly string[]): string[] =>
        [...acknowledged].filter(externalId => !kept.includes(externalId))
      assert.deepEqual(lost(sent, there), [], 'sent, and delivered, but lost')
      // A message whose sender was killed before it knew the id keeps its receipt waiting.
      assert.deepEqual(lost(received, [...there, ...parked]), [], 'receipts lost')
      assert.deepEqual(
        parked.filter(externalId => ofAll.includes(externalId)),
        [],
        'receipts left waiting',
      )
    },
  }
}

async function gatewayAt(alive: Alive, cookie: string, { host, port }: FakeGateway): Promise<number> {
  const body = { ...sampleBody(resourceNamed('sms_gateways')), server_host: host, server_port: port, use_ssl: false }
  const made = await request(alive()[0]?.url ?? '', 'POST', '/api/sms-gateways', { cookie, json: body })
  assert.equal(made.status, 201, JSON.stringify(made))
  return Number(made.data['id'])
}

const ROWS = 20_000

/** Somebody at the console who uploads calls and imports them, and resumes imports that were interrupted. */
export function importing(alive: Alive, cookie: string, signal: AbortSignal): Load {
  const desk = browser(alive, cookie)
  const done: string[] = []
  /** Asks until there is an answer other than that the service is not available. */
  const ask = async (...given: Parameters<typeof desk.ask>) => {
    for (;;) {
      const answer = await desk.ask(...given).catch(() => null)
      if (answer !== null && answer.status < 500) return answer
      await pause(20)
    }
  }
  const jobOf = async (
    file: string,
  ): Promise<{ id: number; state: string; outcome: { created: number } } | undefined> =>
    (await ask('GET', '/api/console/jobs')).json.data.find((job: { file: string }) => job.file === file)
  const begin = async (file: string, caller: string): Promise<void> => {
    const upload = await uploaded(desk, calls(ROWS, caller), file).catch(() => null)
    if (upload !== null) await desk.ask('POST', '/api/console/imports/cdrs', { upload, tenant: 1 }).catch(() => null)
  }
  const work = async (): Promise<void> => {
    for (let n = 0; !signal.aborted; n++) {
      const [file, caller] = [`${n}.csv`, `9${String(n).padStart(3, '0')}`]
      for (let job = await jobOf(file); job?.state !== 'done'; job = await jobOf(file)) {
        if (!job) await begin(file, caller)
        else if (job.state === 'interrupted')
          await desk.ask('POST', `/api/console/jobs/${job.id}/resume`).catch(() => null)
        else assert.ok(['waiting', 'running'].includes(job.state), JSON.stringify(job))
        await pause(50)
      }
      done.push(caller)
    }
  }
  return {
    done: work(),
    acknowledged: () => done.length,
    assertKept: async db => {
      for (const caller of done) assert.deepEqual(await storedBy(db, caller), [`${ROWS} ${ROWS}`], caller)
    },
  }
}
