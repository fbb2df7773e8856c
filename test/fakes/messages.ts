import type { Timestamp } from '../../core/dates.ts'
import { AppError } from '../../core/errors.ts'
import type { Messages } from '../../core/ports/messaging/messages.ts'
import type { Clock } from '../../core/ports/system.ts'
import { FOREVER } from '../../core/rating/period.ts'
import type { Value } from '../../core/resources/field.ts'
import type { Row } from '../../core/resources/resource.ts'
import { smsGateways } from '../../core/resources/sms-gateways.ts'
import { smsMessages, wholeMessages } from '../../core/resources/sms-messages.ts'
import { externalIdsOf, type Message, meant, type Receipt, sendingOf } from '../../core/sms/message.ts'
import { parkedReceipts } from './parked-receipts.ts'
import type { RecordSteps } from './records.ts'
import { type Journal, type Stored, Table, type Tables } from './tables.ts'
import type { Trail } from './trail.ts'
import { viewOf } from './views.ts'

/** The fields that decide where a gateway's password goes. */
const TARGET = ['server_host', 'server_port', 'use_ssl', 'username']
const UPDATED = { resource: smsGateways.name, action: 'update' } as const

/** The number that `expire` changes at once. */
const EXPIRED_AT_ONCE = 1_000

const textOf = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null)

const messageOf = ({ created_at: _, updated_at: __, ...row }: Stored): Message => row as Row as Message

/** The messages of a gateway that a receipt is for, earliest first. */
function matching(
  messages: readonly Message[],
  { externalId, reference }: Receipt,
  scope: 'latest' | 'all',
): readonly Message[] {
  const own = messages.find(message => reference !== null && message.reference === reference)
  if (own) return [own]
  if (externalId === null) return []
  const whole = messages.filter(({ external_message_id }) => external_message_id === externalId)
  if (scope === 'latest') return whole.slice(-1)
  return meant(whole.length > 0 ? whole : messages.filter(message => externalIdsOf(message).includes(externalId)))
}

export function messages(journal: Journal, tables: Tables, steps: RecordSteps, trail: Trail, clock: Clock): Messages {
  const deadlines = new Table<Timestamp>(journal)
  const parked = parkedReceipts(journal, clock)
  const stored = (id: number): Stored => {
    const row = tables.of(smsMessages).get(id)
    if (!row) throw new AppError('internal', 'A message vanished while it was sent.')
    return row
  }
  const save = (message: Message): Stored => steps.update(wholeMessages, stored(message.id), message)
  return {
    create: async (message, deadline, by, complete = created => created) =>
      journal.atomically(() => {
        const id = steps.insert(wholeMessages, message)
        const created = complete({ ...message, id })
        save(created)
        deadlines.set(id, deadline)
        trail.note('send', smsMessages.name, id, sendingOf(message), by)
        return created
      }),
    change: async (id, change) => journal.atomically(() => messageOf(save(change(messageOf(stored(id)))))),
    settle: async (id, change, receive) =>
      journal.atomically(() => {
        const settled = change(messageOf(stored(id)))
        const early = externalIdsOf(settled).flatMap(each => parked.take(settled.sms_gateway_id, each))
        return viewOf(tables, smsMessages, save(early.reduce(receive, settled)), 'plain')
      }),
    receive: async (gatewayId, receipt, receive, sender, scope = 'latest') =>
      journal.atomically(() => {
        const ofGateway = tables.holding(smsMessages, { sms_gateway_id: gatewayId }).map(messageOf)
        const found = matching(ofGateway, receipt, scope)
        for (const message of found) save(receive(message, receipt))
        if (found.length > 0) return 'matched'
        const { externalId } = receipt
        const isWaitedFor = ofGateway.some(({ delivery_status }) => delivery_status === 'queued')
        if (externalId === null || !isWaitedFor) return 'ignored'
        parked.put(gatewayId, { ...receipt, externalId }, sender)
        return 'parked'
      }),
    retired: async gatewayId => {
      const gateway = tables.of(smsGateways).removed(gatewayId)
      const [callback_token, meta] = [textOf(gateway?.callback_token), textOf(gateway?.meta)]
      return callback_token === null && meta === null ? null : { callback_token, meta }
    },
    retargeted: async () => {
      const changed = new Map<number, Timestamp>()
      for await (const { record_id, changes, at } of trail.audit.list({ ...FOREVER, ...UPDATED }))
        if (record_id !== null && TARGET.some(name => changes[name]))
          if (tables.of(smsGateways).get(record_id) && !changed.has(record_id)) changed.set(record_id, at)
      const isTried = ([gatewayId, changedAt]: [number, Timestamp]): boolean =>
        tables
          .holding(smsMessages, { sms_gateway_id: gatewayId })
          .some(({ created_at, submitted_at }) => submitted_at !== null && String(created_at) >= changedAt)
      return [...changed]
        .filter(each => !isTried(each))
        .sort(([a], [b]) => a - b)
        .map(([gatewayId, changedAt]) => ({ gatewayId, changedAt }))
    },
    expire: async (now, change) =>
      journal.atomically(() => {
        const overdue = tables
          .holding(smsMessages, { delivery_status: 'queued' })
          .filter(({ delivered_at, submitted_at }) => delivered_at === null && submitted_at === null)
          .filter(({ id }) => (deadlines.get(id) ?? now) < now)
          .slice(0, EXPIRED_AT_ONCE)
        for (const row of overdue) save(change(messageOf(row)))
        return overdue.length
      }),
    forgetParked: async before => journal.atomically(() => parked.forget(before)),
  }
}
