import { AppError } from '../../../core/errors.ts'
import { isJsonObject } from '../../../core/json.ts'
import type { Messages, Receive, RetiredGateway } from '../../../core/ports/messaging/messages.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { smsMessages, wholeMessages } from '../../../core/resources/sms-messages.ts'
import { externalIdsOf, type Message, meant, type Receipt, sendingOf } from '../../../core/sms/message.ts'
import { type Bound, toSql } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import type { Foundation } from '../foundation.ts'
import type { RecordSteps } from '../records/record-steps.ts'
import { viewSql } from '../records/view.ts'
import { gatewayFailures } from './gateway-failures.ts'
import { parkedReceipts } from './parked-receipts.ts'

/** The storage port for SMS messages, and for receipts that came before them. */
export function messages({ connection, writer, clock, trail }: Foundation, steps: RecordSteps): Messages {
  const { query, value } = connection
  const { load, match, save } = messageRows(connection, clock)
  const parked = parkedReceipts(connection, clock)
  const failures = gatewayFailures(connection)
  return {
    create: (message, deadline, by, complete = created => created) =>
      writer.write(() => {
        const inserted: unknown = JSON.parse(steps.insert(wholeMessages, message))
        const id = isJsonObject(inserted) ? Number(inserted.id) : 0
        const created = complete({ ...message, id })
        const { reference, callback_url, external_message_id } = created
        query<Bound[], unknown>(COMPLETE).run(deadline, reference, callback_url, external_message_id, id)
        trail.note('send', smsMessages.name, id, sendingOf(message), by)
        return created
      }),
    change: (id, change) =>
      writer.write(() => {
        const stored = load(id)
        const changed = change(stored)
        if (changed.sms_gateway_id !== stored.sms_gateway_id) failures.failed(stored.sms_gateway_id)
        save(stored, changed)
        return changed
      }),
    settle: (id, change, receive) =>
      writer.write(() => {
        const stored = load(id)
        const settled = change(stored)
        if (settled.submitted_at === null) failures.failed(settled.sms_gateway_id)
        else failures.wentWell(settled.sms_gateway_id)
        const early = externalIdsOf(settled).flatMap(each => parked.take(settled.sms_gateway_id, each))
        save(stored, early.reduce(receive, settled))
        return value<[number], string>(VIEW).get(id) ?? '{}'
      }),
    receive: (gatewayId, receipt, receive: Receive, sender, scope = 'latest') =>
      writer.write(() => {
        const found = match(gatewayId, receipt, scope)
        for (const message of found) save(message, receive(message, receipt))
        if (found.length > 0) return 'matched'
        if (receipt.externalId === null || !parked.isWaitedFor(gatewayId)) return 'ignored'
        parked.put(gatewayId, { ...receipt, externalId: receipt.externalId }, sender)
        return 'parked'
      }),
    retired: async gatewayId =>
      query<[number], RetiredGateway>('SELECT callback_token, meta FROM retired_gateways WHERE id = ?').get(
        gatewayId,
      ) ?? null,
    retargeted: async () =>
      query<[], { gatewayId: number; changedAt: string }>(
        `SELECT t.gateway_id AS gatewayId, t.changed_at AS changedAt FROM gateway_targets t
         WHERE NOT EXISTS (SELECT 1 FROM sms_messages m WHERE m.sms_gateway_id = t.gateway_id
           AND m.created_at >= t.changed_at AND m.submitted_at IS NOT NULL)
         ORDER BY t.gateway_id`,
      ).all(),
    expire: (now, change) =>
      writer.write(() => {
        const overdue = value<[string], number>(
          `SELECT id FROM sms_messages
           WHERE delivery_status = 'queued' AND delivered_at IS NULL AND submitted_at IS NULL AND deadline_at < ?
           LIMIT 1000`,
        ).all(now)
        for (const id of overdue) {
          const stored = load(id)
          save(stored, change(stored))
        }
        return overdue.length
      }),
    forgetParked: before => writer.write(() => parked.forget(before)),
  }
}

const COLUMNS = Object.keys(wholeMessages.fields)
const SELECT = `SELECT id, ${COLUMNS.join()} FROM sms_messages`
const COMPLETE =
  'UPDATE sms_messages SET deadline_at = ?, reference = ?, callback_url = ?, external_message_id = ? WHERE id = ?'
const VIEW = `SELECT ${viewSql(smsMessages, 'plain')} FROM sms_messages t WHERE t.id = ?`
/** How many of the latest messages with one external id are examined. */
const MOST_ALIKE = 10

function messageRows({ query }: Connection, clock: Clock) {
  const byId = query<[number], Message>(`${SELECT} WHERE id = ?`)
  const byReference = query<[string, number], Message>(`${SELECT} WHERE reference = ? AND +sms_gateway_id = ?`)
  const byExternalId = query<[number, string, number], Message>(
    `${SELECT} WHERE sms_gateway_id = ? AND external_message_id = ? ORDER BY id DESC LIMIT ?`,
  )
  const byPartId = query<[number, string, number], Message>(
    `${SELECT} WHERE id IN (SELECT message_id FROM sms_message_ids WHERE sms_gateway_id = ? AND external_message_id = ?)
     ORDER BY id DESC LIMIT ?`,
  )
  const lead = query<[number, string, number], unknown>('INSERT OR IGNORE INTO sms_message_ids VALUES (?, ?, ?)')
  return {
    load: (id: number): Message => {
      const found = byId.get(id)
      if (!found) throw new AppError('internal', 'A message disappeared while it was being sent.')
      return found
    },
    match: (gatewayId: number, { externalId, reference }: Receipt, scope: 'latest' | 'all'): readonly Message[] => {
      const own = reference === null ? undefined : byReference.get(reference, gatewayId)
      if (own) return [own]
      if (externalId === null) return []
      if (scope === 'latest') return byExternalId.all(gatewayId, externalId, 1)
      const whole = byExternalId.all(gatewayId, externalId, MOST_ALIKE)
      return meant(whole.length > 0 ? whole : byPartId.all(gatewayId, externalId, MOST_ALIKE))
    },
    /** Writes only what has changed: SQLite rewrites an index for every column named, changed or not. */
    save: (stored: Message, message: Message): void => {
      const before: Readonly<Record<string, unknown>> = stored
      const row: Readonly<Record<string, string | number | null>> = message
      const changed = COLUMNS.filter(name => row[name] !== before[name])
      const set = [...changed, 'updated_at'].map(name => `${name} = ?`).join()
      const bound = [...changed.map(name => toSql(row[name])), clock.now(), message.id]
      query<Bound[], unknown>(`UPDATE sms_messages SET ${set} WHERE id = ?`).run(...bound)
      if (message.part_classes === null) return
      for (const id of externalIdsOf(message)) lead.run(message.sms_gateway_id, id, message.id)
    },
  }
}
