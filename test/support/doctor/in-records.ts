import { chmodSync, writeFileSync } from 'node:fs'
import { copyOf, sql, type Trouble } from './trouble.ts'

/** A second tenant, 2, with an extension 101. */
const BETA = [
  `INSERT INTO tenants SELECT 2, 'Beta', 'beta', 'beta.example.com', status, timezone, 5, NULL, created_at, updated_at FROM tenants`,
  `INSERT INTO extensions SELECT 2, 2, '101', 'B', NULL, 'x', status, voicemail_enabled, created_at, updated_at FROM extensions`,
]
const AS_JSON = (text: string): string => `'${text.replaceAll("'", "''")}'`
const DIGITS = '"id":12345678901234567890'

/** Problems of records, and of the file that holds them. */
export const IN_RECORDS: readonly Trouble[] = [
  {
    kind: 'file_readable',
    isOfFiles: true,
    title: 'a database that others can read, with what lies beside it',
    make: place => {
      writeFileSync(`${place.db}-wal`, '')
      for (const name of [place.db, `${place.db}-wal`]) chmodSync(name, 0o644)
    },
    changes: [],
  },
  {
    kind: 'no_account',
    title: 'accounts that are disabled',
    make: sql('UPDATE accounts SET disabled = true'),
    changes: ['accounts 1 disabled: 1 → 0'],
  },
  {
    kind: 'no_account',
    title: 'no account at all',
    make: sql('DELETE FROM accounts'),
    changes: ['accounts 2 came'],
  },
  {
    kind: 'roles_off',
    title: 'a supervisor who may do everything',
    make: sql(...copyOf('accounts', "id = 2, email = 'sue@example.com', role = 'supervisor'")),
    changes: [],
  },
  {
    kind: 'no_admin',
    title: 'roles without an admin of all tenants',
    make: sql('UPDATE accounts SET tenant_id = 1'),
    env: () => ({ TRUNKLINE_ROLES: 'enforced' }),
    changes: ['accounts 2 came'],
  },
  {
    kind: 'no_admin',
    title: 'roles with a manager alone',
    make: sql("UPDATE accounts SET role = 'manager'"),
    env: () => ({ TRUNKLINE_ROLES: 'enforced' }),
    changes: ['accounts 1 role: manager → admin'],
  },
  {
    kind: 'account_tenant',
    title: 'an account whose tenant is gone',
    make: sql(...copyOf('accounts', "id = 2, email = 'tim@example.com', tenant_id = 99")),
    changes: ['accounts 2 went'],
  },
  {
    kind: 'limit_passed',
    title: 'a limit that is passed, of a tenant whose slug is the id of another',
    make: sql(
      ...BETA,
      "UPDATE tenants SET slug = '2', max_extensions = 1 WHERE id = 1",
      ...copyOf('extensions', "id = 3, extension_number = '102'"),
    ),
    changes: ['tenants 1 max_extensions: 1 → 2'],
  },
  {
    kind: 'same_key',
    title: 'two rates of one prefix',
    make: sql(...copyOf('rates', 'id = 2')),
    changes: ['rates 1 went'],
  },
  {
    kind: 'same_key',
    title: 'two DIDs of one number, the newer without a route',
    make: sql(...copyOf('dids', 'id = 2')),
    changes: ['dids 2 went'],
  },
  {
    kind: 'same_key',
    title: 'two DIDs of one number, the older without a route',
    make: sql(...copyOf('dids', 'id = 2'), 'UPDATE routes SET did_id = 2'),
    changes: ['dids 1 went'],
  },
  {
    kind: 'same_key',
    title: 'two DIDs of one number, written in two ways',
    make: sql(...copyOf('dids', "id = 2, number = '380 44 123-45-67'")),
    changes: ['dids 2 went'],
  },
  {
    kind: 'same_key',
    title: 'two queues of one number',
    make: sql(...copyOf('queues', 'id = 2')),
    changes: ['queues 2 went'],
  },
  {
    kind: 'same_key',
    title: 'two gateways of one name, which messages point to',
    make: sql(
      `UPDATE sms_gateways SET name = 'it''s "$HOME"'`,
      ...copyOf('sms_gateways', 'id = 2'),
      "UPDATE copied SET id = 3, name = 'it''s \"$HOME\" 2'",
      'INSERT INTO sms_gateways SELECT * FROM copied',
    ),
    changes: [`sms_gateways 2 name: it's "$HOME" → it's "$HOME" 3`],
  },
  {
    kind: 'two_tenants',
    title: 'an agent of two tenants',
    make: sql(...BETA, 'UPDATE agents SET extension_id = 2'),
    changes: ['agents 1 went'],
  },
  {
    kind: 'two_tenants',
    title: 'a route of two tenants',
    make: sql(...BETA, 'UPDATE dids SET tenant_id = 2'),
    changes: ['routes 1 went'],
  },
  {
    kind: 'two_tenants',
    title: 'a call of an extension of another tenant',
    make: sql(...BETA, 'UPDATE cdrs SET extension_id = 2'),
    changes: ['cdrs 1 extension_id: 2 → null'],
  },
  {
    kind: 'status_unknown',
    title: 'a status that was meant to be another',
    make: sql("UPDATE rates SET status = 'Active'"),
    changes: ['rates 1 status: Active → active'],
  },
  {
    kind: 'status_unknown',
    title: 'a status of a rate that means nothing',
    make: sql("UPDATE rates SET status = 'Mars/Phobos'"),
    changes: ['rates 1 status: Mars/Phobos → inactive'],
  },
  {
    kind: 'status_unknown',
    title: 'a status of a tenant that means nothing',
    make: sql("UPDATE tenants SET status = 'Mars/Phobos'"),
    changes: ['tenants 1 status: Mars/Phobos → active'],
  },
  {
    kind: 'setting_unread',
    title: 'a key that was meant to be another, beside digits that no double holds',
    make: sql(`UPDATE sms_gateways SET meta = '{${DIGITS},"dlr_levle":3}'`),
    changes: [`sms_gateways 1 meta: {${DIGITS},"dlr_levle":3} → {${DIGITS},"dlr_level":3}`],
  },
  {
    kind: 'setting_unread',
    title: 'a key with a dot and a text that a shell would read',
    make: sql(`UPDATE sms_gateways SET meta = ${AS_JSON(`{"a":1,"DLR.ack":"it's \\"$HOME\\" \`id\` = 1\\n"}`)}`),
    changes: [
      `sms_gateways 1 meta: {"a":1,"DLR.ack":"it's \\"$HOME\\" \`id\` = 1\\n"} → {"a":1,"dlr_ack":"it's \\"$HOME\\" \`id\` = 1\\n"}`,
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a whole object under a key that was meant to be another',
    make: sql(`UPDATE tenants SET settings = '{"Dialing":{"country":"US","area_code":"212"},${DIGITS}}'`),
    changes: [
      `tenants 1 settings: {"Dialing":{"country":"US","area_code":"212"},${DIGITS}} → {${DIGITS},"dialling":{"country":"US","area_code":"212"}}`,
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a value below a key that was meant to be another',
    make: sql(`UPDATE tenants SET settings = '{"dialling":{"country":"UK","area_code":"20"},"a":1}'`),
    changes: [
      'tenants 1 settings: {"dialling":{"country":"UK","area_code":"20"},"a":1} → {"dialling":{"country":"GB","area_code":"20"},"a":1}',
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a value of another type',
    make: sql(`UPDATE tenants SET settings = '{"international_prefix":11,${DIGITS}}'`),
    changes: [`tenants 1 settings: {"international_prefix":11,${DIGITS}} → {${DIGITS}}`],
  },
  {
    kind: 'setting_unread',
    title: 'a limit under a name that was meant to be another',
    make: sql(`UPDATE tenants SET settings = '{"limits":{"extension":{"calls_per_dy":5}},${DIGITS}}'`),
    changes: [
      `tenants 1 settings: {"limits":{"extension":{"calls_per_dy":5}},${DIGITS}} → {"limits":{"extension":{"calls_per_day":5}},${DIGITS}}`,
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a limit that is no number',
    make: sql(`UPDATE tenants SET settings = '{"limits":{"calls_per_day":"many"}}'`),
    changes: [],
    shows: true,
  },
  {
    kind: 'setting_unread',
    title: 'limits of a mistyped name beside limits',
    make: sql(`UPDATE tenants SET settings = '{"limits":{"calls_per_day":1},"limts":{}}'`),
    changes: [],
    shows: true,
  },
  {
    kind: 'setting_unread',
    title: 'a place of the token that cannot be read',
    make: sql(`UPDATE sms_gateways SET callback_token = 'x', meta = '{"dlr_token_in":"here",${DIGITS}}'`),
    changes: [`sms_gateways 1 meta: {"dlr_token_in":"here",${DIGITS}} → {"dlr_token_in":"query:token",${DIGITS}}`],
  },
  {
    kind: 'setting_unread',
    title: 'a level of receipts that is no number',
    make: sql(`UPDATE sms_gateways SET meta = '{"dlr_level":"all",${DIGITS}}'`),
    changes: [`sms_gateways 1 meta: {"dlr_level":"all",${DIGITS}} → {${DIGITS}}`],
  },
  {
    kind: 'token_unchecked',
    title: 'a token that nobody checks',
    make: sql(`UPDATE sms_gateways SET callback_token = 'x', meta = '{${DIGITS}}'`),
    changes: [`sms_gateways 1 meta: {${DIGITS}} → {${DIGITS},"dlr_token_in":"query:token"}`],
  },
  {
    kind: 'time_zone_unknown',
    title: 'a time zone that this system does not know',
    make: sql("UPDATE tenants SET timezone = 'Europe/Parris'"),
    changes: ['tenants 1 timezone: Europe/Parris → Europe/Paris'],
  },
  {
    kind: 'dangling',
    title: 'a call of an extension that is not there',
    make: sql('UPDATE cdrs SET extension_id = 99'),
    changes: ['cdrs 1 extension_id: 99 → null'],
  },
  {
    kind: 'dangling',
    title: 'a telephone of an extension that is not there',
    make: sql('UPDATE devices SET extension_id = 99'),
    changes: ['devices 1 went'],
  },
  {
    kind: 'dangling',
    title: 'a rate of a tenant that is not there',
    make: sql('UPDATE rates SET tenant_id = 99'),
    changes: ['rates 1 went'],
  },
]
