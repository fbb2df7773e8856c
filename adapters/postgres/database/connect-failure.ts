import { AppError } from '../../../core/errors.ts'
import { codeOf, translate } from './errors.ts'
import { shownAddress } from './options.ts'

type Advice = readonly [codes: RegExp, what: string, hint: string]

/** What keeps a program from connecting, by the code of the error, and what to do about it. */
const UNREACHABLE: readonly Advice[] = [
  [/^ECONNREFUSED$/, 'nothing listens there', 'start the server, and check its port and listen_addresses'],
  [
    /^ENOENT$/,
    'there is no such socket',
    'start the server, and check host= in the address against its unix_socket_directories',
  ],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'the name of its host is not known', 'check the host in the address'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'it does not answer', 'check the host, the port and the firewall'],
  [
    /^08P01$/,
    'a connection pooler refuses the connection',
    'set pool_mode = session and ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options in PgBouncer, and give it enough connections (docs/postgresql.md)',
  ],
  [/^57P03$/, 'it is starting or stopping', 'try again in a moment'],
  [/^53300$/, 'it has no connection left', 'raise max_connections of the server, or stop programs that hold some'],
]

const REFUSED: readonly Advice[] = [
  [/^28P01$/, 'the password is wrong', 'put the right one in the file that TRUNKLINE_DB_PASSWORD_FILE names'],
  [/^28000$/, 'this user may not connect from here', 'check the user in the address and pg_hba.conf of the server'],
  [/^3D000$/, 'there is no such database', 'createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 trunkline'],
  [
    /^(?:SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/,
    'its certificate is signed by nobody who is known',
    'name the root certificate with sslrootcert= in the address',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host', 'use the name in the certificate as host'],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, 'its certificate is not valid today', 'renew the certificate of the server'],
]

/** Returns the error of a program that cannot open the database at an address: what is wrong, and what to do. */
export function connectFailure(address: string, error: unknown): unknown {
  // The connection has translated its errors already.
  const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error
  const code = codeOf(cause)
  const failure = (kind: 'unavailable' | 'configuration', what: string, hint?: string): AppError =>
    new AppError(kind, `${shownAddress(address)} cannot be opened: ${what}.`, {
      cause,
      ...(hint === undefined ? {} : { hint }),
      ...(kind === 'unavailable' ? { retryAfter: 1 } : {}),
    })
  const unreachable = UNREACHABLE.find(([codes]) => codes.test(code))
  if (unreachable) return failure('unavailable', unreachable[1], unreachable[2])
  const refused = REFUSED.find(([codes]) => codes.test(code))
  if (refused) return failure('configuration', refused[1], refused[2])
  const translated = translate(error)
  // The driver has errors without a code, as for a server that has no TLS.
  if (cause instanceof AppError || code !== '' || !(cause instanceof Error)) return translated
  return failure('unavailable', cause.message.replace(/\.$/, ''))
}
