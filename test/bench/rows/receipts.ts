import { createHmac } from 'node:crypto'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { median, perSecond, times } from '../figures.ts'
import { load, type Request } from '../load.ts'
import { startDaemon } from '../servers.ts'
import type { Line } from '../table.ts'
import { CONNECTIONS, type Row, variants } from './row.ts'

const now = '2026-11-01T00:00:00.000000Z'

/** A gateway and messages that wait for their receipts; returns the gateway's id. */
function makeMessages(path: string, meta: string | null): number {
  const db = new Sqlite(path)
  const gateway = db.prepare(
    `INSERT INTO sms_gateways (name, provider_type, server_host, server_port, username, password, is_active, use_ssl,
       callback_token, meta, created_at, updated_at)
     VALUES ('Bench', 'jasmin', '127.0.0.1', 1401, 'user', 'password', 1, 0, ?, ?, ?, ?)`,
  )
  const message = db.prepare(
    `INSERT INTO sms_messages (sms_gateway_id, tenant_id, to_number, from_sender, message, external_message_id,
       delivery_status, direction, callback_url, remote_response, requested_at, submitted_at, created_at, updated_at)
     VALUES (?, 1, '+380441234567', 'ACME', 'Hello', ?, 'submitted', 'outbound', 'http://127.0.0.1/', '{}', ?, ?, ?, ?)`,
  )
  const id = db
    .transaction(() => {
      const made = Number(gateway.run(meta === null ? null : SECRET, meta, now, now).lastInsertRowid)
      for (const external of variants(externalId)) message.run(made, external, now, now, now, now)
      return made
    })
    .immediate()
  db.close()
  return id
}

const externalId = (i: number): string => `7f033084-5cfd-4812-90a4-${String(i).padStart(12, '0')}`

interface GatewayProtocol {
  readonly what: string
  readonly goal: number
  readonly headers: Readonly<Record<string, string>>
  /** Of the gateway, and the receipt of the message of that number as its provider signs it. */
  readonly signed?: { readonly meta: string; receipt(url: string, i: number): Receipt }
}

interface Receipt {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const SECRET = 'a-secret-of-receipts'

const plain = (i: number): string =>
  `message_id=${externalId(i)}&message_status=DELIVRD&level=2&subdate=2611011200&donedate=2611011201`

/** Signed over its address and its fields, by name. */
function twilio(url: string, i: number): Receipt {
  const fields = { MessageSid: externalId(i), MessageStatus: 'delivered', SmsSid: externalId(i), To: '+380441234567' }
  const signed = Object.entries(fields).reduce((text, [name, value]) => text + name + value, url)
  const signature = createHmac('sha1', SECRET).update(signed).digest('base64')
  return { headers: { 'x-twilio-signature': signature }, body: new URLSearchParams(fields).toString() }
}

const WAYS: readonly GatewayProtocol[] = [
  { what: 'receipts, durable, keep-alive', goal: 4000, headers: {} },
  {
    what: 'receipts, durable, signed (Twilio)',
    goal: 4000,
    headers: {},
    signed: { meta: '{"profile":"twilio"}', receipt: twilio },
  },
  { what: 'receipts, durable, a new connection each', goal: 2500, headers: { connection: 'close' } },
]

/** The most that Kannel's and Jasmin's receipt senders reach. */
const SENDERS = 2316

/** Alternately in each round, so that all of them run under the same conditions. */
export const receipts: Row = {
  name: 'receipts',
  run: async ({ databases, program, rounds, seconds, folder }) => {
    const gateways = WAYS.map(({ signed }) => makeMessages(databases.ours, signed?.meta ?? null))
    const daemon = await startDaemon(program, databases.ours)
    const ways = WAYS.map((way, i) => ({
      way,
      requests: requestsOf(way, daemon.url, `/api/sms-gateways/${gateways[i]}/dlr`),
      found: [] as number[],
    }))
    try {
      for (let round = 0; round <= rounds; round++)
        for (const { requests, found } of ways) {
          const { perSecond } = await load({ url: daemon.url, requests, seconds, connections: CONNECTIONS, folder })
          if (round > 0) found.push(perSecond)
        }
    } finally {
      await daemon.stop()
    }
    return ways.map(({ way, found }) => lineOf(way, median(found)))
  },
}

const requestsOf = ({ headers, signed }: GatewayProtocol, url: string, path: string): readonly Request[] =>
  variants(i => {
    const receipt = signed?.receipt(url + path, i) ?? { headers: {}, body: plain(i) }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    return { path, method: 'POST' as const, headers: { ...headers, ...form, ...receipt.headers }, body: receipt.body }
  })

const lineOf = ({ what, goal }: GatewayProtocol, rate: number): Line => ({
  what,
  baseline: `${perSecond(SENDERS)} (the senders)`,
  ours: perSecond(rate),
  ratio: times(rate / SENDERS),
  goal: `≥ ${perSecond(goal)}`,
  met: rate >= goal,
})
