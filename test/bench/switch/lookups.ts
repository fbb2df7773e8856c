import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { heldSwitch, PASSWORD } from '../../support/switching/event-socket.ts'
import { callForm, didForm, inviteForm, registerForm } from '../../support/switching/freeswitch.ts'
import { FULL_SIZE, seeded } from '../dataset.ts'
import { milliseconds, quantile, whole } from '../figures.ts'
import { load } from '../load.ts'
import { reading, writing } from '../rows/requests.ts'
import { type Bench, CONNECTIONS } from '../rows/row.ts'
import { type Server, startBareFeed, startSignedIn } from '../servers.ts'
import type { Line } from '../table.ts'
import { didOf, domainOf, numberOf, settingsFor, slugOf, TOKEN } from './world.ts'

/** Lookups a second; as many calls and registrations as a switch of 20,000 telephones has in its busiest hours. */
const PER_SECOND = 100

/** What FreeSWITCH sends besides the fields that are read: bodies have 1.1 and 6.5 KB. */
const padding = (fields: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: fields }, (_, n) => [`variable_of_the_channel_${n}`, `value of ${n}`]))
const [SHORT, LONG] = [padding(10), padding(140)]

/** A registration, a proof, a call inside, a call out and a call to a DID, of any extension. */
function lookups(): (n: number) => URLSearchParams {
  const random = seeded(3)
  return n => {
    const i = random(FULL_SIZE.extensions)
    const [domain, user, slug] = [domainOf(i), numberOf(i), slugOf(i)]
    const proof = { ...SHORT, domain, user, sip_auth_username: user, sip_to_user: user, sip_to_host: domain }
    const called = { ...LONG, 'Unique-ID': `a7eda430-65ec-4177-99f6-${String(n).padStart(12, '0')}` }
    const call = { ...called, 'Hunt-Context': `t-${slug}`, variable_user_name: user, variable_accountcode: slug }
    const forms = [
      () => registerForm(proof),
      () => inviteForm(proof),
      () => callForm({ ...call, 'Hunt-Destination-Number': numberOf(random(FULL_SIZE.extensions)) }),
      () => callForm({ ...call, 'Hunt-Destination-Number': `+4930${1_000_000 + random(9_000_000)}` }),
      () => didForm({ ...called, 'Hunt-Destination-Number': didOf(1 + random(FULL_SIZE.tenants)).slice(1) }),
    ]
    return new URLSearchParams(forms[n % forms.length]?.())
  }
}

/** Milliseconds until the whole answer has arrived, on a new connection, as mod_xml_curl requests it. */
export function lookup(url: string, form: URLSearchParams): Promise<{ ms: number; answer: string }> {
  const started = performance.now()
  const headers = {
    authorization: `Basic ${Buffer.from(`freeswitch:${TOKEN}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/freeswitch/xml`, { method: 'POST', headers, agent: false }, response => {
      let answer = ''
      response.setEncoding('utf8').on('data', text => {
        answer += text
      })
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ ms: performance.now() - started, answer })
        else reject(new Error(`A lookup was answered with ${response.statusCode}.`))
      })
    })
    asked.once('error', reject).end(form.toString())
  })
}

interface Times {
  readonly ours: readonly number[]
  readonly bare: readonly number[]
}

/** The times of lookups at a steady rate, and of the same of a bare program, while `busy` runs. */
async function beside(url: string, bareUrl: string, busy: Promise<unknown>): Promise<Times> {
  const next = lookups()
  const asked: Promise<number>[] = []
  const bare: Promise<number>[] = []
  const timed = (at: string, n: number): Promise<number> => lookup(at, next(n)).then(({ ms }) => ms)
  let isOver = false
  const over = busy.finally(() => {
    isOver = true
  })
  const started = performance.now()
  while (!isOver) {
    const due = ((performance.now() - started) * PER_SECOND) / 1000
    while (asked.length < due) asked.push(timed(url, asked.length))
    // Between the others, so that the two do not wait for each other.
    while (bare.length < due - 0.5) bare.push(timed(bareUrl, bare.length))
    await pause(1)
  }
  await over
  return { ours: await Promise.all(asked), bare: await Promise.all(bare) }
}

/** A daemon that serves a switch which answers every command. */
export async function withDaemon<T>(bench: Bench, run: (daemon: Server) => Promise<T>): Promise<T> {
  const held = await heldSwitch({ answer: command => (command.endsWith('json') ? '{"row_count":0}' : '+OK\n') })
  const config = settingsFor(bench.folder, held.place.port, PASSWORD)
  const daemon = await startSignedIn(bench.program, bench.databases.ours, [], { TRUNKLINE_CONFIG: config })
  try {
    return await run(daemon)
  } finally {
    await daemon.stop()
    await held.close()
  }
}

const LOADS = [
  { beside: 'nothing else', traffic: null },
  { beside: 'GETs of one CDR', traffic: reading },
  { beside: 'POSTs of a CDR', traffic: writing },
]

/** Lookups of the directory and the dialplan while API clients do what other rows measure. */
export const measureLookups = (bench: Bench): Promise<Line[]> =>
  withDaemon(bench, async daemon => {
    const seconds = bench.rounds * bench.seconds
    const lines: Line[] = []
    const bareFeed = await startBareFeed()
    for (const { beside: what, traffic } of LOADS) {
      const busy = async (lasting: number): Promise<number> => {
        if (!traffic) return pause(lasting * 1000, 0)
        const requests = traffic(bench, daemon)
        const given = { url: daemon.url, requests, seconds: lasting, connections: CONNECTIONS, folder: bench.folder }
        return (await load(given)).perSecond
      }
      await beside(daemon.url, bareFeed.url, busy(bench.seconds))
      const loading = busy(seconds)
      const { ours, bare } = await beside(daemon.url, bareFeed.url, loading)
      const [p50, p99] = [quantile(ours, 0.5), quantile(ours, 0.99)]
      const least = quantile(bare, 0.99)
      const rate = await loading
      lines.push({
        what: `lookup of a switch beside ${what}: p99`,
        baseline: milliseconds(least),
        ours: `${milliseconds(p99)} (p50 ${milliseconds(p50)}${rate > 0 ? `, beside ${whole(rate)}/s` : ''})`,
        ratio: (p99 / least).toFixed(2),
        goal: '< 5 ms',
        met: p99 < 5,
      })
    }
    await bareFeed.stop()
    return lines
  })
