import { Agent } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { Client } from 'pg'
import { clientConfig } from '../../adapters/postgres/database/options.ts'
import { Sqlite } from '../../adapters/sqlite/database/driver.ts'
import { addSeconds } from '../../core/dates.ts'
import type { Clock } from '../../core/ports/system.ts'
import { startService, type TestService, temporaryFolder } from '../support/http/app.ts'
import { type FakeGateway, json, startGateway } from '../support/messaging/gateway.ts'
import { newDatabase } from '../support/postgres/databases.ts'
import { exchange, exchangeOf, knownIds, type Outcome } from './exchange.ts'
import { type FuzzRequest, requestsFrom } from './kinds/made-requests.ts'
import { staysHere } from './values.ts'
import { documentOf } from './world.ts'

/** Enough differences to stop. */
const MANY = 20

/** A clock that both services share. It stands still while they answer a request. */
function sharedClock(): Clock & { advance(): void } {
  let [now, passed] = ['2026-03-01T12:00:00.000000Z', 0]
  return {
    now: () => now,
    monotonic: () => passed,
    advance: () => {
      now = addSeconds(now, 1)
      passed += 1
    },
  }
}

/** The same message gets the same answer from the gateway, whichever service sends it. */
function answerByLength(gateway: FakeGateway): void {
  gateway.answer((response, { text }) => {
    gateway.requests.length = 0
    if (text.length % 3 === 0) response.writeHead(503).end('down')
    else json(response, 200, { message_id: `gw-${text.length}` })
  })
}

/** A service on each storage, with the same clock and nothing in it but the first account. */
interface Pair {
  readonly sqlite: TestService
  readonly postgres: TestService
  readonly sessions: Readonly<Record<'sqlite' | 'postgres', string>>
  advance(): void
  /** PostgreSQL uses up an id for a record that it refuses, SQLite does not. After this, both continue alike. */
  alignIds(): Promise<void>
  close(): Promise<void>
}

async function startPair(): Promise<Pair> {
  const folder = temporaryFolder()
  const file = join(folder.path, 'trunkline.db')
  const address = await newDatabase()
  const clock = sharedClock()
  const open = (db: string) => startService({ db, base_url: 'http://trunkline.example' }, { clock })
  const [sqlite, postgres] = [await open(file), await open(address)]
  const client = new Client(clientConfig(address))
  await client.connect()
  return {
    ...{ sqlite, postgres },
    sessions: { sqlite: await sqlite.login(), postgres: await postgres.login() },
    advance: clock.advance,
    alignIds: () => alignIds(file, client),
    close: async () => {
      await client.end()
      for (const service of [sqlite, postgres]) await service.close()
      folder.remove()
    },
  }
}

async function alignIds(sqlite: string, postgres: Client): Promise<void> {
  const db = new Sqlite(sqlite, { readonly: true })
  const last = db.prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence').all()
  db.close()
  await postgres.query(
    `SELECT setval(sequencename::regclass, greatest(coalesce(seq, 0), 1), coalesce(seq, 0) > 0)
     FROM pg_sequences LEFT JOIN unnest($1::text[], $2::bigint[]) AS last(name, seq) ON sequencename = name || '_id_seq'
     WHERE schemaname = 'public'`,
    [last.map(({ name }) => name), last.map(({ seq }) => seq)],
  )
}

/**
 * A failed login is noted in the audit trail after its answer, so the next request may find it or not. Uploads and jobs
 * are files with SQLite, with ids of their own.
 */
const isComparable = ({ template }: FuzzRequest): boolean =>
  template !== '/api/admin/login' && !/^\/api\/console\/(uploads|jobs|imports|exports)\b/.test(template)

/** Ids of messages for gateways. */
const RANDOM = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g

const textOf = (outcome: Outcome): string =>
  'failure' in outcome
    ? outcome.failure
    : `${outcome.status} ${outcome.contentType} ${outcome.text}`.replace(RANDOM, '(random)')

const shortened = (text: string): string => (text.length > 900 ? `${text.slice(0, 900)}…` : text)

export interface Comparison {
  /** Requests with the two answers. */
  readonly differences: readonly string[]
  /** How many requests were answered with each status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Sends generated requests, one after the other, to a service on each storage, and compares the answers. */
export async function compareStorages(seed: number, count: number): Promise<Comparison> {
  const gateway = await startGateway()
  answerByLength(gateway)
  const pair = await startPair()
  const { sqlite, postgres, sessions } = pair
  const agent = new Agent({ keepAlive: true })
  const known = knownIds()
  const differences: string[] = []
  const statuses: Record<string, number> = {}
  const play = async (request: FuzzRequest): Promise<void> => {
    const sent = exchangeOf(request, known, sessions.sqlite)
    if (sent.body !== null && !staysHere(sent.body)) return
    pair.advance()
    const first = await exchange(sqlite.url, agent, sent)
    const second = await exchange(postgres.url, agent, exchangeOf(request, known, sessions.postgres))
    if (sent.method !== 'GET') await pair.alignIds()
    if (!('failure' in first)) {
      known.learn(first)
      statuses[first.status] = (statuses[first.status] ?? 0) + 1
    }
    if (textOf(first) !== textOf(second))
      differences.push(
        [`${sent.method} ${sent.path}`, sent.body ?? '', textOf(first), textOf(second)].map(shortened).join('\n'),
      )
  }
  try {
    const requests = requestsFrom(await documentOf(sqlite.url), gateway.port).filter(isComparable)
    for (const request of fc.sample(requests, { seed, numRuns: count }))
      if (differences.length < MANY) await play(request)
    return { differences, statuses }
  } finally {
    agent.destroy()
    await pair.close()
    await gateway.close()
  }
}
