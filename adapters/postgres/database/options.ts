import { readFileSync } from 'node:fs'
import { type ClientConfig, types } from 'pg'
import { AppError } from '../../../core/errors.ts'

const BIGINT = 20
const JSON_TEXT = 114

/**
 * How long the server lets a statement run, a statement wait for a lock, and a transaction stay idle, in milliseconds.
 */
const STATEMENT_MS = 60_000
const LOCK_MS = 25_000
const IDLE_MS = 60_000
const CONNECT_MS = 5_000

/** Ids and amounts stay below 2^53; JSON is returned as text. */
const parsers = {
  getTypeParser: (type: number, format?: 'text' | 'binary') => {
    if (type === BIGINT) return Number
    return type === JSON_TEXT ? String : types.getTypeParser(type, format)
  },
}

/**
 * The connection settings of an address, `postgres://user:password@host:port/database`. It takes `passfile=` for a
 * file that holds only the password, `sslmode=verify-full` and `sslrootcert=` as in libpq, and `host=` for a socket.
 */
export function clientConfig(address: string): ClientConfig {
  const url = urlOf(address)
  const passfile = url.searchParams.get('passfile')
  url.searchParams.delete('passfile')
  return {
    connectionString: url.href,
    ...(passfile === null ? {} : { password: passwordIn(passfile) }),
    application_name: 'trunkline',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    keepAlive: true,
    options: '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c timezone=UTC',
    types: parsers,
  }
}

/** The password in an address or in the file that it names; null without either. */
export function passwordOf(address: string): string | null {
  const { password, searchParams } = urlOf(address)
  const passfile = searchParams.get('passfile')
  return passfile === null ? decodeURIComponent(password) || null : passwordIn(passfile)
}

/** The address without its password, for display. */
export function shownAddress(address: string): string {
  const url = urlOf(address)
  url.password = ''
  url.searchParams.delete('passfile')
  return url.href
}

/** A URL needs a host, so an address without one, as for a socket, gets a placeholder that `host=` replaces. */
function urlOf(address: string): URL {
  try {
    return new URL(address.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)\//, '$1localhost/'))
  } catch (cause) {
    throw new AppError('configuration', 'The address of the database is not like postgres://user@host/database.', {
      cause,
    })
  }
}

function passwordIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new AppError('configuration', `The file ${path}, which holds the database's password, cannot be read.`, {
      cause,
    })
  }
}
