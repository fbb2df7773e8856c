import type { SqliteStorage } from '../../../adapters/sqlite/storage.ts'
import { insert } from './rows.ts'

/** Characters that a format of copying may take for its own. */
export const ODD = 'a\tb\nc\\d\\N\r"e",\'f\' 😀 ς'
const JSON_TEXT = '{"big": 12345678901234567890, "far":1E400,"a":[ 1.10e2,-0 ],"a":"\\u0000\\ud800"}'
const NOW = '2026-10-01T12:00:00.000001Z'

/** Rows of the tables that no resource has. Calls, tenants, gateways and the like have id 1. */
const OTHERS: Readonly<Record<string, readonly (string | number | null)[]>> = {
  'cdr_ratings (cdr_id, source, switch_call_id, outcome, rate_id, prefix, cost_per_minute, billing_increment, linked_id)':
    [...[1, 'asterisk', `1.1/${ODD}`, 'rated', 1, '380', 123, 60, null]],
  'cdr_rating_history (id, cdr_id, replaced_at, bill_seconds, cost, outcome, rate_id, prefix, cost_per_minute, billing_increment, direction)':
    [7, 1, NOW, 60, 9_007_199_254_740_991, 'rated', null, null, null, null, 'outbound'],
  'decks (id, tenant_id, effective_at, state, file, rates, created_at)': [3, 1, NOW, 'pending', ODD, 1, NOW],
  'deck_rates (deck_id, seq, rate_id, prefix, destination, cost_per_minute, billing_increment, status)': [
    ...[3, 0, null, '380', ODD, 1, 1, 'active'],
  ],
  'trunk_routes (tenant_id, prefix, trunks)': [1, '', '[1]'],
  'gateway_targets (gateway_id, changed_at)': [1, NOW],
  'gateway_failures (gateway_id, in_a_row)': [1, 2],
  'retired_gateways (id, callback_token, meta)': [900, ODD, JSON_TEXT],
  'sms_routes (tenant_id, prefix, gateways)': [null, '380', '[1]'],
  'sms_message_ids (sms_gateway_id, external_message_id, message_id)': [1, ODD, 1],
  'parked_receipts (sms_gateway_id, external_message_id, status, payload, received_at, sender)': [
    ...[1, 'x', 'DELIVRD', ODD, NOW, ''],
  ],
  'accounts (name, email, role, password_hash, disabled, created_at, updated_at, tenant_id)': [
    ...[ODD, 'Ann@example.com', 'admin', 'hash', 1, NOW, NOW, null],
  ],
  'sessions (token_hash, account_id, created_at, expires_at, origin)': ['ab12', 1, NOW, NOW, '10.0.0.1'],
  'audit (at, actor, origin, action, resource, record_id, changes, record_name)': [
    ...[NOW, ODD, 'cli', 'create', 'cdrs', 1, '{}', null],
  ],
  'imports (resource, input, mark, updated_at)': ['cdrs', `${ODD}${'x'.repeat(5_000)}`, 'mark', NOW],
  'feed_places (feed, inode, position, updated_at)': [`/var/${'y'.repeat(5_000)}`, '1:2', 4_294_967_296, NOW],
  'quarantine (feed, format, rules, fingerprint, record, reason, seen, created_at)': [
    ...['f', 'asterisk-csv', '{}', 'aa', `${ODD}\0é`, ODD, 3, NOW],
  ],
  'notices (code, subject, detail, first_at, last_at)': ['c', 's', ODD, NOW, NOW],
  'server_keys (name, value)': ['key', ODD],
  'heartbeat (id, beaten_at)': [1, NOW],
}

/** Stores records in every table, with gaps among the ids and none left at the end of one. */
export async function fillEveryTable({ records, connection: { db } }: SqliteStorage): Promise<void> {
  await insert(records, 'tenants', { name: ODD, settings: JSON_TEXT })
  await insert(records, 'extensions', { email: null, display_name: ODD })
  for (const name of ['queues', 'rates', 'dids', 'trunks', 'sms_gateways', 'devices', 'routes'] as const)
    await insert(records, name, name === 'routes' ? { target_id: 1 } : {})
  await insert(records, 'agents', { extension_id: 1 })
  for (let call = 0; call < 1_200; call++) await insert(records, 'cdrs', { extension_id: call % 2 ? 1 : null })
  db.exec(`DELETE FROM cdrs WHERE id IN (5, 1200)`)
  db.exec(`INSERT INTO sms_messages (sms_gateway_id, tenant_id, to_number, from_sender, message, external_message_id,
      delivery_status, direction, callback_url, remote_response, requested_at, created_at, updated_at)
    VALUES (1, NULL, '+1', 'x', 'text', 'ext', 'sent', 'outbound', '', '{"ok":true}', '${NOW}', '${NOW}', '${NOW}')`)
  for (const [into, values] of Object.entries(OTHERS))
    db.prepare(`INSERT INTO ${into} VALUES (${values.map(() => '?').join()})`).run(...values)
}
