import { Sqlite } from '../../../adapters/sqlite/driver.ts'
import { median, perSecond, times } from '../figures.ts'
import { load } from '../load.ts'
import { startDaemon } from '../servers.ts'
import type { Line } from '../table.ts'
import { type Bench, CONNECTIONS, type Row, variants } from './row.ts'

const now = '2026-11-01T00:00:00.000000Z'

/** A gateway and messages that wait for their receipts; returns the gateway's id. */
function makeMessages(path: string): number {
  const db = new Sqlite(path)
  const gateway = db.prepare(
    `INSERT INTO sms_gateways (name, provider_type, server_host, server_port, username, password, is_active, use_ssl,
       created_at, updated_at)
     VALUES ('Bench', 'jasmin', '127.0.0.1', 1401, 'user', 'password', 1, 0, ?, ?)`,
  )
  const message = db.prepare(
    `INSERT INTO sms_messages (sms_gateway_id, tenant_id, to_number, from_sender, message, external_message_id,
       delivery_status, direction, callback_url, remote_response, requested_at, submitted_at, created_at, updated_at)
     VALUES (?, 1, '+380441234567', 'ACME', 'Hello', ?, 'submitted', 'outbound', 'http://127.0.0.1/', '{}', ?, ?, ?, ?)`,
  )
  const id = db
    .transaction(() => {
      const made = Number(gateway.run(now, now).lastInsertRowid)
      for (const external of variants(externalId)) message.run(made, external, now, now, now, now)
      return made
    })
    .immediate()
  db.close()
  return id
}

const externalId = (i: number): string => `7f033084-5cfd-4812-90a4-${String(i).padStart(12, '0')}`

interface Way {
  readonly what: string
  readonly goal: number
  readonly headers: Readonly<Record<string, string>>
}

const WAYS: readonly Way[] = [
  { what: 'receipts, durable, keep-alive', goal: 4000, headers: {} },
  { what: 'receipts, durable, a new connection each', goal: 2500, headers: { connection: 'close' } },
]

/** The most that Kannel's and Jasmin's receipt senders reach. */
const SENDERS = 2316

async function measure(bench: Bench, gateway: number, { what, goal, headers }: Way): Promise<Line> {
  const daemon = await startDaemon(bench.program, bench.databases.ours)
  const { rounds, seconds, folder } = bench
  const requests = variants(i => ({
    path: `/api/sms-gateways/${gateway}/dlr`,
    method: 'POST' as const,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: `message_id=${externalId(i)}&message_status=DELIVRD&level=2&subdate=2611011200&donedate=2611011201`,
  }))
  const found: number[] = []
  const round = async () =>
    (await load({ url: daemon.url, requests, seconds, connections: CONNECTIONS, folder })).perSecond
  try {
    await round()
    while (found.length < rounds) found.push(await round())
  } finally {
    await daemon.stop()
  }
  const rate = median(found)
  return {
    what,
    baseline: `${perSecond(SENDERS)} (the senders)`,
    ours: perSecond(rate),
    ratio: times(rate / SENDERS),
    goal: `≥ ${perSecond(goal)}`,
    met: rate >= goal,
  }
}

export const receipts: Row = {
  name: 'receipts',
  run: async bench => {
    const gateway = makeMessages(bench.databases.ours)
    const lines: Line[] = []
    for (const way of WAYS) lines.push(await measure(bench, gateway, way))
    return lines
  },
}
