import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ROLE_MODES } from '../core/access/modes.ts'
import { ASTERISK_WANTS, asteriskSchema, wrongAsterisk } from './asterisk.ts'
import { FEEDS_WANT, feeds, wrongFeed } from './feeds.ts'
import { FREESWITCH_WANTS, freeswitchSchema, wrongFreeswitch } from './freeswitch.ts'
import type { Wrong } from './members.ts'

export interface Setting<S extends TSchema = TSchema> {
  readonly schema: S
  readonly fallback: Static<S> | null
  /** What the setting is, for help and the example file. */
  readonly about: string
  /** What a valid value looks like, as the end of "X must be …". */
  readonly wants: string
}

const setting = <S extends TSchema>(
  schema: S,
  fallback: Setting<S>['fallback'],
  wants: string,
  about: string,
): Setting<S> => ({
  schema,
  fallback,
  wants,
  about,
})

const text = (minLength: number) => Type.String({ minLength })
const url = Type.String({ pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$' })
const seconds = Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 })
const days = Type.Integer({ minimum: 0, maximum: 36_500 })
const DAYS = 'an integer from 0 to 36500'

/** Every setting: flags, environment variables, keys of the file and their validation derive from it. */
export const declarations = {
  host: setting(text(1), '127.0.0.1', 'a host name or address', 'address to listen on'),
  port: setting(
    Type.Integer({ minimum: 0, maximum: 65_535 }),
    8080,
    'an integer from 0 to 65535',
    'port to listen on; 0 takes a free one',
  ),
  db: setting(
    text(1),
    'data/trunkline.db',
    'a path, or an address such as postgres://trunkline@db.example.com/trunkline',
    'the database: the path of an SQLite file, or the address of a PostgreSQL server (postgres://user@host/database)',
  ),
  db_password_file: setting(
    text(1),
    null,
    'a path',
    'the file with the password for PostgreSQL; read for each connection, so it may change at any time',
  ),
  job_dir: setting(
    text(1),
    null,
    'a path',
    'the folder of uploads, imports and exports of the console (default: beside the database file); PostgreSQL has them in the database',
  ),
  base_url: setting(
    url,
    null,
    'an http or https URL such as https://pbx.example.com',
    'where clients and gateways reach the service (default: from host and port)',
  ),
  session_idle: setting(seconds, 7_200, 'a number of seconds above 0', 'seconds after which an idle session ends'),
  session_absolute: setting(seconds, 43_200, 'a number of seconds above 0', 'seconds after which any session ends'),
  gateway_timeout: setting(
    Type.Number({ exclusiveMinimum: 0, maximum: 300 }),
    15,
    'a number of seconds above 0, at most 300',
    'time limit of a call to an SMS gateway, in seconds',
  ),
  ca_file: setting(
    text(1),
    null,
    'a path',
    'certificates that vouch for SMS gateways (PEM), in addition to those of the system',
  ),
  drain_seconds: setting(
    Type.Number({ minimum: 0, maximum: 300 }),
    0,
    'a number of seconds from 0 to 300',
    'seconds to go on answering after SIGTERM, while /readyz is 503, so that balancers leave this daemon out',
  ),
  log_level: setting(
    Type.Enum(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'debug, info, warn, error or silent',
    'the level of the log, on standard error',
  ),
  metrics_port: setting(
    Type.Integer({ minimum: 0, maximum: 65_535 }),
    9464,
    'an integer from 0 to 65535',
    'port on 127.0.0.1 for Prometheus (/metrics); 0 turns it off',
  ),
  backup_every: setting(
    Type.Number({ minimum: 0, maximum: 8_760 }),
    0,
    'a number of hours from 0 to 8760',
    "hours between the daemon's backups; 0 turns them off",
  ),
  backup_dir: setting(text(1), 'data/backups', 'a path', "the folder of the daemon's backups"),
  backup_keep: setting(
    Type.Integer({ minimum: 1, maximum: 10_000 }),
    7,
    'an integer from 1 to 10000',
    "how many of the daemon's backups to keep",
  ),
  profiles_dir: setting(
    text(1),
    'data/profiles',
    'a path',
    'the folder of your own profiles of SMS providers, as JSON',
  ),
  parked_hours: setting(
    Type.Number({ exclusiveMinimum: 0, maximum: 8_760 }),
    24,
    'a number of hours above 0, at most 8760',
    'hours to keep a receipt whose message is not known yet',
  ),
  response_days: setting(days, 0, DAYS, "days to keep gateways' replies with their messages; 0 never deletes them"),
  audit_days: setting(days, 365, DAYS, 'days to keep the audit trail; 0 never deletes it'),
  cdr_partitions: setting(
    Type.Enum(['off', 'month']),
    'off',
    'off or month',
    'how a new PostgreSQL database keeps call records; month: in a partition for each month, which cdr_days drops whole',
  ),
  cdr_days: setting(days, 0, DAYS, 'days to keep call records; 0 never deletes them'),
  deck_days: setting(days, 365, DAYS, 'days to keep a replaced deck, for late calls and rerating; 0 never deletes it'),
  roles: setting(
    Type.Enum([...ROLE_MODES]),
    'off',
    ROLE_MODES.join(' or '),
    'whether the roles of accounts limit what they may do; off: every role may do everything',
  ),
  trusted_proxies: setting(
    Type.Integer({ minimum: 0, maximum: 10 }),
    0,
    'an integer from 0 to 10',
    'how many reverse proxies in front to trust (X-Forwarded-For)',
  ),
  phone_server: setting(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*(:\\d{1,5})?$' }),
    null,
    'a host, or host:port',
    "where telephones reach the switch (default: their tenant's domain)",
  ),
  phone_link: setting(
    text(1),
    null,
    'a link such as https://pbx.example.com/{user}.xml',
    'the link in the QR code of a telephone; {user}, {secret}, {domain}, {server}, {port} and {transport} are filled in',
  ),
  feeds: setting(
    feeds,
    [],
    FEEDS_WANT,
    'call records to follow: a list of {format, path, name, timezone, tenant, contexts, switch, every}',
  ),
  asterisk: setting(
    asteriskSchema,
    null,
    ASTERISK_WANTS,
    'an Asterisk to keep in line with the database: {dir, manager, cdr_file, telephones_db}',
  ),
  freeswitch: setting(
    freeswitchSchema,
    null,
    FREESWITCH_WANTS,
    'a FreeSWITCH to serve: {token, token_file, lookup_port, event_socket, cdr_folder, allow}',
  ),
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof declarations
type Value_<N extends SettingName> = (typeof declarations)[N] extends Setting<infer S> ? Static<S> : never

type NullByDefault =
  | 'base_url'
  | 'db_password_file'
  | 'job_dir'
  | 'ca_file'
  | 'phone_server'
  | 'phone_link'
  | 'asterisk'
  | 'freeswitch'

export type Settings = { readonly [N in Exclude<SettingName, NullByDefault>]: Value_<N> } & {
  readonly [N in NullByDefault]: Value_<N> | null
}

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(declarations, name)

export const environmentName = (name: string): string => `TRUNKLINE_${name.toUpperCase()}`

export const flagName = (name: string): string => `--${name.replaceAll('_', '-')}`

/**
 * Parses the text of a flag or an environment variable as the setting's type (a list as JSON), or returns what is
 * wrong with it.
 */
export function readSetting(name: SettingName, input: unknown): { readonly value: unknown } | Wrong {
  const { schema, wants }: Setting = declarations[name]
  const value = typeof input === 'string' ? fromText('type' in schema ? schema.type : 'string', input.trim()) : input
  if (Value.Check(schema, value)) return { value }
  return WRONG_IN[name]?.(value) ?? { at: '', says: `must be ${wants}, not ${JSON.stringify(input)}` }
}

/** Validates settings that have members. */
const WRONG_IN: Readonly<Partial<Record<SettingName, (value: unknown) => Wrong | null>>> = {
  feeds: wrongFeed,
  asterisk: wrongAsterisk,
  freeswitch: wrongFreeswitch,
}

function fromText(type: unknown, text: string): unknown {
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (type !== 'array' && type !== 'object') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
