import { changesOf } from '../../core/audit.ts'
import { AppError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Messages, Receive, RetiredGateway } from '../../core/ports/messages.ts'
import type { Clock } from '../../core/ports/system.ts'
import { smsMessages } from '../../core/resources/sms-messages.ts'
import type { Message } from '../../core/sms/message.ts'
import type { AuditTrail } from './audit.ts'
import { type Bound, toSql } from './bound.ts'
import type { Connection } from './database.ts'
import { parkedReceipts } from './parked-receipts.ts'
import type { RecordSteps } from './record-steps.ts'
import { viewSql } from './view.ts'
import type { Writer } from './writer.ts'

/** What the audit trail keeps of a message that is sent: not its text, nor the callback's token. */
const { sms_gateway_id, tenant_id, to_number, from_sender } = smsMessages.fields
const AUDITED = { sms_gateway_id, tenant_id, to_number, from_sender }

/** The storage port for SMS messages and the receipts that came before them. */
export function messages(
  connection: Connection,
  writer: Writer,
  steps: RecordSteps,
  trail: AuditTrail,
  clock: Clock,
): Messages {
  const { query, value } = connection
  const { load, match, save } = messageRows(connection, clock)
  const parked = parkedReceipts(connection, clock)
  return {
    create: (message, deadline, by) =>
      writer.write(() => {
        const created: unknown = JSON.parse(steps.insert(smsMessages, message))
        const id = isJsonObject(created) ? Number(created.id) : 0
        query<[string, number], unknown>('UPDATE sms_messages SET deadline_at = ? WHERE id = ?').run(deadline, id)
        trail.note('send', smsMessages.name, id, changesOf({ fields: AUDITED }, null, message), by)
        return { ...message, id }
      }),
    settle: (id, change, receive) =>
      writer.write(() => {
        const settled = change(load(id))
        save(parked.take(settled.sms_gateway_id, settled.external_message_id).reduce(receive, settled))
        return value<[number], string>(VIEW).get(id) ?? '{}'
      }),
    receive: (gatewayId, receipt, receive: Receive, sender) =>
      writer.write(() => {
        const message = match(gatewayId, receipt.externalId)
        if (message) save(receive(message, receipt))
        else if (parked.isWaitedFor(gatewayId)) parked.put(gatewayId, receipt, sender)
        else return 'ignored'
        return message ? 'matched' : 'parked'
      }),
    retired: async gatewayId =>
      query<[number], RetiredGateway>('SELECT callback_token, meta FROM retired_gateways WHERE id = ?').get(
        gatewayId,
      ) ?? null,
    expire: (now, change) =>
      writer.write(() => {
        const overdue = value<[string], number>(
          `SELECT id FROM sms_messages
           WHERE delivery_status = 'queued' AND delivered_at IS NULL AND deadline_at < ? LIMIT 1000`,
        ).all(now)
        for (const id of overdue) save(change(load(id)))
        return overdue.length
      }),
    forgetParked: before => writer.write(() => parked.forget(before)),
  }
}

const COLUMNS = Object.keys(smsMessages.fields)
const VIEW = `SELECT ${viewSql(smsMessages, 'plain')} FROM sms_messages t WHERE t.id = ?`

function messageRows({ query }: Connection, clock: Clock) {
  const byId = query<[number], Message>(`SELECT id, ${COLUMNS.join()} FROM sms_messages WHERE id = ?`)
  const byExternalId = query<[number, string], Message>(
    `SELECT id, ${COLUMNS.join()} FROM sms_messages WHERE sms_gateway_id = ? AND external_message_id = ?
     ORDER BY id DESC LIMIT 1`,
  )
  const update = query<Bound[], unknown>(
    `UPDATE sms_messages SET ${COLUMNS.map(name => `${name} = ?`).join()}, updated_at = ? WHERE id = ?`,
  )
  return {
    load: (id: number): Message => {
      const found = byId.get(id)
      if (!found) throw new AppError('internal', 'A message vanished while it was sent.')
      return found
    },
    match: (gatewayId: number, externalId: string): Message | undefined => byExternalId.get(gatewayId, externalId),
    save: (message: Message): void => {
      const row: Readonly<Record<string, string | number | null>> = message
      update.run(...COLUMNS.map(name => toSql(row[name])), clock.now(), message.id)
    },
  }
}
