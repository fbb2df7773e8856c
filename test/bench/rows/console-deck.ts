import { setTimeout as pause } from 'node:timers/promises'
import { prefixes, priceOf } from '../dataset.ts'
import { milliseconds, quantile } from '../figures.ts'
import type { Server } from '../servers.ts'
import type { Line } from '../table.ts'

const RATES = 171_135
const PART = 1024 * 1024
const GOAL_SECONDS = 5
const OTHERS_GOAL_MS = 50

const deck = (): string =>
  [
    'prefix,destination,cost_per_minute,billing_increment,status',
    ...prefixes(RATES).map(
      ([prefix, destination]) =>
        `${prefix},"${destination.replaceAll('"', '""')}",${(priceOf(prefix) / 10_000).toFixed(4)},60,active`,
    ),
  ].join('\n')

type Ask = (method: string, path: string, json?: unknown) => Promise<Record<string, unknown>>

/** Requests of one session; they throw on a refusal and return the `data`. */
const asking =
  ({ url, cookie }: Server): Ask =>
  async (method, path, json) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const response = await fetch(url + path, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...body,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return JSON.parse(text).data
  }

/** Uploads the deck as a browser does, a part at a time. */
async function upload({ url, cookie }: Server, ask: Ask): Promise<unknown> {
  const bytes = Buffer.from(deck())
  const { id } = await ask('POST', '/api/console/uploads', { name: 'deck.csv', bytes: bytes.length })
  for (let at = 0; at < bytes.length; at += PART) {
    const headers = { cookie, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(at) }
    const body = new Uint8Array(bytes.subarray(at, at + PART))
    const response = await fetch(`${url}/api/console/uploads/${id}`, { method: 'PATCH', headers, body })
    await response.text()
    if (!response.ok) throw new Error(`An upload was answered with ${response.status}.`)
  }
  return id
}

/** Seconds that an import takes, and the milliseconds of each other request meanwhile. */
async function imported(
  ask: Ask,
  body: Readonly<Record<string, unknown>>,
): Promise<{ seconds: number; others: number[] }> {
  const others: number[] = []
  const began = performance.now()
  const { id } = await ask('POST', '/api/console/imports/rates', body)
  for (let i = 1; ; i++) {
    const started = performance.now()
    await ask('GET', `/api/cdrs/${i}`)
    others.push(performance.now() - started)
    const { state, failure } = await ask('GET', `/api/console/jobs/${id}`)
    if (state === 'done') return { seconds: (performance.now() - began) / 1_000, others }
    if (state !== 'waiting' && state !== 'running') throw new Error(`The import ended as ${state}: ${failure}`)
    await pause(5)
  }
}

/** A deck that is checked and imported in the browser, and how long others wait for one call meanwhile. */
export async function decks(daemon: Server): Promise<Line[]> {
  const ask = asking(daemon)
  const about = { name: 'Decks', slug: 'decks', domain: 'decks.example.com', timezone: 'UTC' }
  const { id: tenant } = await ask('POST', '/api/tenants', { ...about, max_extensions: 1, status: 'active' })
  const file = await upload(daemon, ask)
  const lines: Line[] = []
  for (const [what, dry_run] of [
    ['checked', true],
    ['imported', false],
  ] as const) {
    const { seconds, others } = await imported(ask, { upload: file, tenant, dry_run })
    const p99 = quantile(others, 0.99)
    const name = `console: ${RATES.toLocaleString('en')} rates ${what}`
    const beside = { baseline: '', ratio: '' }
    lines.push(
      {
        ...beside,
        what: name,
        ours: `${seconds.toFixed(1)} s`,
        goal: `≤ ${GOAL_SECONDS} s`,
        met: seconds <= GOAL_SECONDS,
      },
      {
        ...{ ...beside, what: `${name}: p99 of ${others.length} other requests`, ours: milliseconds(p99) },
        ...{ goal: `≤ ${OTHERS_GOAL_MS} ms`, met: p99 <= OTHERS_GOAL_MS },
      },
    )
  }
  return lines
}
