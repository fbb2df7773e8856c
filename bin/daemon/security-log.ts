import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AuditEntry } from '../../core/audit.ts'
import type { Trunkline } from '../compose.ts'

const EVERY_MS = 1_000

const REFUSALS: ReadonlySet<string> = new Set(['login-failed', 'lockout', 'token-refused'])

/**
 * Logs the security entries of the audit trail after that entry, a line each, whichever process noted them, until the
 * signal aborts; then notes and logs what is left.
 */
export async function followSecurity(
  { security, storage: { audit } }: Pick<Trunkline, 'security' | 'storage'>,
  log: Logger,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  let last = after
  const follow = async (isEnding: boolean): Promise<void> => {
    await security.settle(isEnding)
    for (let entries = await audit.securityAfter(last); entries.length > 0; entries = await audit.securityAfter(last))
      for (const entry of entries) {
        last = entry.id
        write(log, entry)
      }
  }
  const trouble = (error: unknown): void => log.error({ err: error }, 'the security trail could not be followed')
  while (!signal.aborted) {
    await follow(false).catch(trouble)
    await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
  await follow(true).catch(trouble)
}

function write(
  log: Logger,
  { at, actor, origin, action, resource, record_id, record_name, changes }: AuditEntry,
): void {
  const line = { security: action, at, actor, origin, resource, record: record_id, name: record_name, ...changes }
  log[REFUSALS.has(action) ? 'warn' : 'info'](line, 'security')
}
