import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { type DaemonProcess, startDaemon } from '../../support/daemon.ts'
import { trunkline } from '../../support/programs.ts'

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }

const ACCOUNT = { TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password }

export interface Answer {
  readonly status: number
  readonly code: string | undefined
  readonly data: Readonly<Record<string, unknown>>
  readonly cookie: string
}

export async function request(
  url: string,
  method: string,
  path: string,
  given: { readonly json?: unknown; readonly cookie?: string } = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', cookie: given.cookie ?? '' }
  const body = given.json === undefined ? {} : { body: JSON.stringify(given.json) }
  const response = await fetch(`${url}${path}`, { method, headers, ...body, signal: AbortSignal.timeout(30_000) })
  const { data = {}, code } = JSON.parse(await response.text())
  return { status: response.status, code, data, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

/** Starts daemons on one database, the first of which creates its tables. */
export async function startFleet(
  db: string,
  count: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<DaemonProcess[]> {
  const fleet: DaemonProcess[] = []
  for (let n = 0; n < count; n++) fleet.push(await startMember(db, environment))
  return fleet
}

export const startMember = (db: string, environment: Readonly<Record<string, string>> = {}): Promise<DaemonProcess> =>
  startDaemon({ TRUNKLINE_DB: db, ...ACCOUNT, ...environment })

export async function login(url: string): Promise<string> {
  const { status, cookie } = await request(url, 'POST', '/api/admin/login', { json: ADMIN })
  assert.equal(status, 200)
  return cookie
}

/** Creates a tenant by the command line. */
export async function createTenant(db: string, slug: string): Promise<void> {
  const fields = { name: slug, slug, domain: `${slug}.example.com`, status: 'active', timezone: 'UTC' }
  const flags = Object.entries({ ...fields, 'max-extensions': '10' }).flatMap(([name, value]) => [`--${name}`, value])
  const { code, stderr } = await trunkline(db, 'tenant', 'create', ...flags)
  assert.equal(code, 0, stderr)
}

/** The first column of the rows of a statement. */
export async function valuesIn(db: string, statement: string): Promise<string[]> {
  const client = new Client(clientConfig(db))
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' })
    return rows.map(([first]) => String(first))
  } finally {
    await client.end()
  }
}

/** What clients have been told of the calls that they posted. */
export interface Told {
  readonly acknowledged: Set<string>
  /** Calls whose answer was lost: they may be stored. */
  readonly unknown: Set<string>
}

/**
 * Posts calls one after the other until the signal aborts, each to the next daemon of those that `urls` returns, as a
 * balancer does. Each call has a caller of its own.
 */
export async function post(
  urls: () => readonly string[],
  { cookie, client, told }: { readonly cookie: string; readonly client: string; readonly told: Told },
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const caller = `${client}${String(n).padStart(6, '0')}`
    const url = urls()[n % urls().length] ?? ''
    const answer = await request(url, 'POST', '/api/cdrs', { cookie, json: callFrom(caller) }).catch(() => null)
    if (answer?.status === 201) told.acknowledged.add(caller)
    else if (answer === null || answer.code === 'outcome_unknown') told.unknown.add(caller)
    else if (answer.status === 503) await pause(20)
    else assert.fail(`a call was answered with ${answer.status}`)
  }
}

const callFrom = (caller: string): object => ({
  ...{ tenant_id: 1, caller_number: caller, destination_number: '380501112233', direction: 'outbound' },
  ...{ disposition: 'answered', duration_seconds: 5, bill_seconds: 5, cost: 1, started_at: '2026-10-01T12:00:00Z' },
})

/** Every acknowledged call is there, none is there twice, and none that was refused. */
export async function assertKept(db: string, { acknowledged, unknown }: Told, prefix: string): Promise<void> {
  const stored = await valuesIn(db, `SELECT caller_number FROM cdrs WHERE caller_number LIKE '${prefix}%'`)
  assert.equal(new Set(stored).size, stored.length, 'a call is stored twice')
  const kept = new Set(stored)
  assert.deepEqual(
    [...acknowledged].filter(caller => !kept.has(caller)),
    [],
    'lost',
  )
  assert.deepEqual(
    stored.filter(caller => !acknowledged.has(caller) && !unknown.has(caller)),
    [],
    'refused and stored',
  )
}
