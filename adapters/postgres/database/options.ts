import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type ClientConfig, types } from 'pg'
import { withoutPassword } from '../../../core/database-address.ts'
import { AppError } from '../../../core/errors.ts'

const BIGINT = 20
const JSON_TEXT = 114

/**
 * How long the server lets a statement run, a statement wait for a lock, and a transaction stay idle, in milliseconds.
 */
const STATEMENT_MS = 60_000
const LOCK_MS = 25_000
const IDLE_MS = 60_000
/** The most that connecting may take. */
export const CONNECT_MS = 5_000
/** A connection that is idle this long is tested, so that firewalls do not forget it. */
const KEEP_ALIVE_MS = 10_000

/** Ids and amounts stay below 2^53; JSON is returned as text. */
export const parsers = {
  getTypeParser: (type: number, format?: 'text' | 'binary') => {
    if (type === BIGINT) return Number
    return type === JSON_TEXT ? String : types.getTypeParser(type, format)
  },
}

/** The parameters of an address, as in libpq. */
const PARAMETERS = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
] as const
/** Our own: where the password is, and whether a server that may lose acknowledged writes will do, as for tests. */
const PASSWORD_FILE = 'password_file'
const FSYNC = 'fsync'
const OWN = [PASSWORD_FILE, FSYNC]
const DEFAULT_PORT = 5432

/**
 * The connection settings of an address, `postgres://user:password@host:port/database?sslmode=verify-full`. Throws
 * `configuration`.
 */
export function clientConfig(address: string, more = ''): ClientConfig {
  const { host, port, user, database, password, passwordFile, ssl } = partsOf(address)
  return {
    ...{ host, port, user, database, ssl },
    // A file is read for each connection, so that a password can be changed while programs run.
    ...(passwordFile === null ? {} : { password: () => passwordIn(passwordFile) }),
    ...(password === null ? {} : { password }),
    application_name: 'trunkline',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options:
      `-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c timezone=UTC ${more}`.trim(),
    types: parsers,
  }
}

/** The settings of the server that a connection asks for, by their names. */
export function settingsOf(config: ClientConfig): ReadonlyMap<string, string> {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options = '' } = config
  const timeouts = Object.entries({ statement_timeout, lock_timeout, idle_in_transaction_session_timeout })
  return new Map([
    ...timeouts.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const])),
    ...[...options.matchAll(/-c ([\w.]+)=((?:\\.|[^\\ ])*)/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')] as const,
    ),
  ])
}

/** Returns the address whose password is in this file, trailing blanks aside. */
export function withPasswordFile(address: string, path: string): string {
  const url = urlOf(address)
  url.searchParams.set(PASSWORD_FILE, path)
  return url.href
}

/** The address without its password, for display. */
export const shownAddress = (address: string): string =>
  withoutPassword(address).replace(new RegExp(`[?&]${PASSWORD_FILE}=[^&]*`), '')

/** Whether the address says `fsync=off`: a server with that setting is accepted. */
export const acceptsLoss = (address: string): boolean => urlOf(address).searchParams.get(FSYNC) === 'off'

/** The address and the environment with which programs of PostgreSQL connect. Others can read arguments. */
export async function forPrograms(address: string): Promise<{ dbname: string; env: NodeJS.ProcessEnv }> {
  const { password, passwordFile } = partsOf(address)
  const secret = password ?? (passwordFile === null ? null : await passwordIn(passwordFile))
  const url = urlOf(address)
  url.password = ''
  for (const name of ['password', ...OWN]) url.searchParams.delete(name)
  return { dbname: url.href, env: { ...process.env, ...(secret === null ? {} : { PGPASSWORD: secret }) } }
}

interface Parts {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly database: string | undefined
  readonly password: string | null
  readonly passwordFile: string | null
  readonly ssl: ClientConfig['ssl'] & (object | boolean)
}

function partsOf(address: string): Parts {
  const url = urlOf(address)
  const known: readonly string[] = [...PARAMETERS, ...OWN]
  const wrong = [...url.searchParams.keys()].find(name => !known.includes(name))
  if (wrong !== undefined)
    throw new AppError(
      'configuration',
      `The address of the database has an unknown parameter ${JSON.stringify(wrong)}; it may have ${PARAMETERS.join(', ')}.`,
    )
  const parameter = (name: (typeof PARAMETERS)[number]): string | null => url.searchParams.get(name) || null
  return {
    host: parameter('host') ?? url.hostname.replace(/^\[(.+)\]$/, '$1'),
    port: Number(parameter('port') ?? (url.port || process.env['PGPORT'] || DEFAULT_PORT)),
    user: (parameter('user') ?? decodeURIComponent(url.username)) || undefined,
    database: (parameter('dbname') ?? decodeURIComponent(url.pathname.slice(1))) || undefined,
    password: parameter('password') ?? (decodeURIComponent(url.password) || null),
    passwordFile: url.searchParams.get(PASSWORD_FILE),
    ssl: tlsOf(parameter('sslmode') ?? 'disable', {
      root: parameter('sslrootcert'),
      cert: parameter('sslcert'),
      key: parameter('sslkey'),
    }),
  }
}

interface Certificates {
  readonly root: string | null
  readonly cert: string | null
  readonly key: string | null
}

/** As in libpq: `require` encrypts, `verify-ca` checks who signed the certificate, `verify-full` its name as well. */
function tlsOf(mode: string, { root, cert, key }: Certificates): Parts['ssl'] {
  if (mode === 'disable') {
    if (root === null && cert === null && key === null) return false
    throw new AppError('configuration', 'The address of the database names certificates: add sslmode=verify-full.')
  }
  if (!['require', 'verify-ca', 'verify-full'].includes(mode))
    throw new AppError(
      'configuration',
      `sslmode must be disable, require, verify-ca or verify-full, not ${JSON.stringify(mode)}.`,
    )
  return {
    ...(root === null || root === 'system' ? {} : { ca: contentOf(root) }),
    ...(cert === null ? {} : { cert: contentOf(cert) }),
    ...(key === null ? {} : { key: contentOf(key) }),
    rejectUnauthorized: mode !== 'require' || root !== null,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AppError('configuration', `The file ${path}, which the address of the database names, cannot be read.`, {
      cause,
    })
  }
}

/** A URL needs a host, so an address without one, as for a socket, gets a placeholder that `host=` replaces. */
function urlOf(address: string): URL {
  try {
    return new URL(address.replace(/^((?:postgres(?:ql)?|citus):\/\/(?:[^@/]*@)?)(?=\/|$)/i, '$1localhost'))
  } catch {
    // The error of URL shows the address, with its password.
    throw new AppError(
      'configuration',
      'The address of the database is not like postgres://user@host/database; write marks in a password as %40 for @, %2F for /.',
    )
  }
}

async function passwordIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trimEnd()
  } catch (cause) {
    throw new AppError('configuration', `The file ${path}, which holds the database's password, cannot be read.`, {
      cause,
    })
  }
}
