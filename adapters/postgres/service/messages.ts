import { AppError } from '../../../core/errors.ts'
import type { Messages, Received, RetiredGateway } from '../../../core/ports/messaging/messages.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { smsMessages, wholeMessages } from '../../../core/resources/sms-messages.ts'
import { externalIdsOf, type Message, meant, type Receipt, sendingOf } from '../../../core/sms/message.ts'
import type { Database } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql } from '../database/sql.ts'
import { throwIfAny, violations } from '../records/record-rules.ts'
import { viewSql } from '../records/view.ts'
import type { AuditTrail } from './audit.ts'
import { failed, wentWell } from './gateway-failures.ts'
import { parkedReceipts } from './parked-receipts.ts'

const COLUMNS = Object.keys(wholeMessages.fields)
const SELECT = raw(`SELECT id, ${COLUMNS.join()} FROM sms_messages`)
const VIEW = raw(viewSql(smsMessages, 'plain'))
/** Of messages with the same external id, how many of the latest are considered. */
const MOST_ALIKE = 10
/** Overdue messages changed at once. */
const MOST_OVERDUE = 1_000

/** The storage port for SMS messages and for receipts that came before them. */
export function messages(database: Database, clock: Clock, trail: AuditTrail): Messages {
  const parked = parkedReceipts()
  const save = saver(clock)
  const port: Messages = {
    create: async (message, deadline, by, complete = created => created) => {
      const work = () =>
        database.write(async within => {
          const id = (await within.value<number>(sql`SELECT nextval('sms_messages_id_seq')`)) ?? 0
          const created = complete({ ...message, id })
          await insert(within, created, deadline, clock.now())
          await trail.note(within, 'send', smsMessages.name, id, sendingOf(message), by)
          return created
        })
      return work().catch(async error => {
        if (isConstraint(error)) throwIfAny(await violations(database, wholeMessages, message))
        throw error
      })
    },
    change: (id, change) =>
      database.write(async within => {
        const stored = await load(within, id)
        const changed = change(stored)
        if (changed.sms_gateway_id !== stored.sms_gateway_id) await failed(within, stored.sms_gateway_id)
        await save(within, stored, changed)
        return changed
      }),
    settle: async (id, change, receive) =>
      database.write(async within => {
        const expected = change(await present(within, id))
        await lockReceipts(within, expected.sms_gateway_id, externalIdsOf(expected))
        const stored = await load(within, id)
        const settled = change(stored)
        if (settled.submitted_at === null) await failed(within, settled.sms_gateway_id)
        else await wentWell(within, settled.sms_gateway_id)
        const early: Receipt[] = []
        for (const each of externalIdsOf(settled))
          early.push(...(await parked.take(within, settled.sms_gateway_id, each)))
        await save(within, stored, early.reduce(receive, settled))
        return (await within.value<string>(sql`SELECT ${VIEW} FROM sms_messages t WHERE t.id = ${id}`)) ?? '{}'
      }),
    receive: (gatewayId, receipt, receive, sender, scope = 'latest') => {
      const now = clock.now()
      const leave = parked.expect(gatewayId, sender)
      // A gateway may send a receipt twice itself.
      const work = database.repeatable(async (within): Promise<Received> => {
        const { externalId } = receipt
        const isNamed = externalId !== null && !externalId.includes('\0')
        if (isNamed) await lockReceipts(within, gatewayId, [externalId])
        const found = await match(within, gatewayId, { ...receipt, externalId: isNamed ? externalId : null }, scope)
        for (const message of found) await save(within, message, receive(message, receipt))
        if (found.length > 0) return 'matched'
        if (!isNamed || !(await parked.isWaitedFor(within, gatewayId))) return 'ignored'
        await parked.put(within, gatewayId, { ...receipt, externalId, sender, now })
        return 'parked'
      })
      return work.finally(leave)
    },
    retired: async gatewayId =>
      (await database.row<RetiredGateway>(
        sql`SELECT callback_token, meta FROM retired_gateways WHERE id = ${gatewayId}`,
      )) ?? null,
    retargeted: () =>
      database.rows(sql`SELECT t.gateway_id AS "gatewayId", t.changed_at AS "changedAt" FROM gateway_targets t
        WHERE NOT EXISTS (SELECT 1 FROM sms_messages m WHERE m.sms_gateway_id = t.gateway_id
          AND m.created_at >= t.changed_at AND m.submitted_at IS NOT NULL)
        ORDER BY t.gateway_id`),
    expire: (now, change) =>
      database.write(async within => {
        // Another daemon may be changing some of them.
        const overdue = await within.rows<Message>(sql`${SELECT}
          WHERE delivery_status = 'queued' AND delivered_at IS NULL AND submitted_at IS NULL AND deadline_at < ${now}
          LIMIT ${raw(String(MOST_OVERDUE))} FOR NO KEY UPDATE SKIP LOCKED`)
        for (const stored of overdue) await save(within, stored, change(stored))
        return overdue.length
      }),
    forgetParked: before => parked.forget(database.single, before),
  }
  return port
}

async function insert(within: Queries, message: Message, deadline: string, now: string): Promise<void> {
  const stored: Readonly<Record<string, string | number | null>> = message
  const values = [
    ...['id', ...COLUMNS].map(name => sql`${stored[name] ?? null}`),
    ...[deadline, now, now].map(each => sql`${each}`),
  ]
  await within.run(sql`INSERT INTO sms_messages (id, ${raw(COLUMNS.join())}, deadline_at, created_at, updated_at)
    VALUES (${joined(values, ', ')})`)
}

const FOR_CHANGE = raw('FOR NO KEY UPDATE')

const load = (within: Queries, id: number): Promise<Message> => present(within, id, FOR_CHANGE)

async function present(within: Queries, id: number, lock: Sql = raw('')): Promise<Message> {
  const found = await within.row<Message>(sql`${SELECT} WHERE id = ${id} ${lock}`)
  if (!found) throw new AppError('internal', 'A message disappeared while it was being sent.')
  return found
}

/** A receipt and its send wait for each other; otherwise the receipt could stay parked after the send. */
async function lockReceipts(within: Queries, gatewayId: number, externalIds: readonly string[]): Promise<void> {
  for (const id of externalIds.toSorted())
    await within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${gatewayId}:${id}`}, 0))`)
}

async function match(
  within: Queries,
  gatewayId: number,
  { externalId, reference }: Receipt,
  scope: 'latest' | 'all',
): Promise<readonly Message[]> {
  const ofGateway = sql`sms_gateway_id = ${gatewayId}`
  const latest = (condition: Sql, most: number): Promise<Message[]> =>
    within.rows<Message>(sql`${SELECT} WHERE ${condition} ORDER BY id DESC LIMIT ${raw(String(most))} ${FOR_CHANGE}`)
  const own = reference === null ? [] : await latest(sql`reference = ${reference} AND ${ofGateway}`, 1)
  if (own.length > 0 || externalId === null) return own
  const named = sql`${ofGateway} AND external_message_id = ${externalId}`
  if (scope === 'latest') return latest(named, 1)
  const whole = await latest(named, MOST_ALIKE)
  const ofPart = sql`id IN (SELECT message_id FROM sms_message_ids WHERE ${named})`
  return meant(whole.length > 0 ? whole : await latest(ofPart, MOST_ALIKE))
}

/** Writes only changed columns: PostgreSQL rewrites the index of every column named. */
function saver(clock: Clock) {
  return async (within: Queries, stored: Message, message: Message): Promise<void> => {
    const before: Readonly<Record<string, unknown>> = stored
    const row: Readonly<Record<string, string | number | null>> = message
    const changed = COLUMNS.filter(name => row[name] !== before[name])
    const set = [...changed.map(name => sql`${raw(name)} = ${row[name] ?? null}`), sql`updated_at = ${clock.now()}`]
    await within.run(sql`UPDATE sms_messages SET ${joined(set, ', ')} WHERE id = ${message.id}`)
    if (message.part_classes === null) return
    await within.run(sql`INSERT INTO sms_message_ids (sms_gateway_id, external_message_id, message_id)
      SELECT ${message.sms_gateway_id}::bigint, e, ${message.id}::bigint FROM unnest(${externalIdsOf(message)}::text[]) e
      ON CONFLICT DO NOTHING`)
  }
}
