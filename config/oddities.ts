import { hostname, networkInterfaces } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { hasPassword, isServerAddress } from '../core/database-address.ts'
import type { Loaded } from './load.ts'
import { declarations, environmentName, type Settings } from './settings.ts'

/** Settings that are valid one by one, but not together. */
export interface Oddity {
  readonly kind: string
  readonly finding: string
  /** The command that fixes it. */
  readonly fix: string
}

export const odditiesIn = ({ settings, sources, file }: Loaded): Oddity[] => [
  ...misfit(settings, namesOfThisMachine()),
  ...(sources.db === 'file' && !isServerAddress(settings.db) && !isAbsolute(settings.db)
    ? [relative(settings.db, file)]
    : []),
  ...(sources.db === 'flag' && hasPassword(settings.db) ? [shownPassword] : []),
  ...withoutEffect(settings, sources, file),
]

const OF_SERVERS = ['db_password_file', 'cdr_partitions'] as const
const OF_FILES = ['job_dir'] as const

/** Finds settings that only the other kind of database uses. */
function withoutEffect(settings: Settings, sources: Loaded['sources'], file: string | null): Oddity[] {
  const [unused, database] = isServerAddress(settings.db)
    ? [OF_FILES, 'a PostgreSQL server, which keeps such files itself']
    : [OF_SERVERS, 'an SQLite file']
  return unused
    .filter(name => ['environment', 'file'].includes(sources[name]) && settings[name] !== declarations[name].fallback)
    .map(name => ({
      kind: 'setting_unused',
      finding: `${name} has no effect: the database is ${database}`,
      fix: sources[name] === 'file' ? `"\${EDITOR:-vi}" '${file}'` : `unset ${environmentName(name)}`,
    }))
}

const relative = (db: string, file: string | null): Oddity => ({
  kind: 'db_relative',
  finding: `db in ${file} is ${db}, which is another file to a program started in another folder`,
  fix: `export TRUNKLINE_DB='${resolve(db)}'`,
})

/** Any user of the machine can list processes with their arguments. */
const shownPassword: Oddity = {
  kind: 'db_password_shown',
  finding: 'the password of the database is in an argument, which others see in the list of processes',
  fix: 'export TRUNKLINE_DB_PASSWORD_FILE=/etc/trunkline/db-password',
}

const LOOPBACK = /^(?:localhost|127\..*|::1)$/
const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

const namesOfThisMachine = (): readonly string[] => [
  hostname(),
  ...Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({ address }) => address)),
]

/**
 * Finds a `base_url` of this machine that nothing listens on. Ignores other hosts, free ports, and services behind a
 * proxy.
 */
export function misfit(
  { base_url, host, port, trusted_proxies }: Pick<Settings, 'base_url' | 'host' | 'port' | 'trusted_proxies'>,
  ownNames: readonly string[],
): Oddity[] {
  if (base_url === null || port === 0 || trusted_proxies > 0) return []
  const { hostname: bracketed, protocol, port: written } = new URL(base_url)
  const name = bracketed.replace(/^\[|\]$/g, '')
  if (!LOOPBACK.test(name) && name !== host && !ownNames.includes(name)) return []
  const isHeard = ANY_ADDRESS.has(host) || name === host || (LOOPBACK.test(name) && LOOPBACK.test(host))
  if (protocol === 'http:' && Number(written || 80) === port && isHeard) return []
  const at = isHeard ? bracketed : host.includes(':') ? `[${host}]` : host
  return [
    {
      kind: 'base_url_misfit',
      finding: `base_url is ${base_url}, but the daemon listens at http://${at}:${port}, and no trusted proxy is set`,
      fix: `export TRUNKLINE_BASE_URL=http://${at}:${port}`,
    },
  ]
}
