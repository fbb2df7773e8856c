import { formatAmount } from './amounts.ts'
import type { Timestamp } from './dates.ts'
import type { Field, Value } from './resources/field.ts'
import type { Resource, Row } from './resources/resource.ts'

/** Who made a change: an account's e-mail or a system user, and the address or program they used. */
export interface Actor {
  readonly name: string
  readonly origin: string
}

/** The actor of changes that no account made. */
export const ITSELF: Actor = { name: 'trunkline', origin: 'the service itself' }

/** Actions that concern permissions and secrets. */
export const SECURITY_ACTIONS = [
  'login',
  'login-failed',
  'lockout',
  'logout',
  'revoke',
  'token-refused',
  'backup',
  'restore',
  'export',
] as const
export type SecurityAction = (typeof SECURITY_ACTIONS)[number]

export const AUDIT_ACTIONS = [
  'create',
  'update',
  'delete',
  'import',
  'apply',
  'rerate',
  'send',
  'limit-reached',
  ...SECURITY_ACTIONS,
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** A field's value before and after; for a secret, only that it changed. */
export type Change = { readonly before?: unknown; readonly after?: unknown } | 'changed'

export type Changes = Readonly<Record<string, Change | string | number | boolean>>

export interface AuditEntry {
  readonly id: number
  readonly at: Timestamp
  readonly actor: string
  readonly origin: string
  readonly action: AuditAction
  readonly resource: string
  readonly record_id: number | null
  /** The record's name at the time, such as `acme/101`; null if it has none. */
  readonly record_name: string | null
  readonly changes: Changes
}

const OF_SECURITY: ReadonlySet<string> = new Set(SECURITY_ACTIONS)

/** Records that say where passwords and calls are sent. */
const DESTINATIONS: ReadonlySet<string> = new Set(['sms_gateways', 'trunks'])

/** True for changes of accounts, gateways, trunks and routes of calls, and for `SECURITY_ACTIONS`. */
export const isOfSecurity = ({ action, resource }: Pick<AuditEntry, 'action' | 'resource'>): boolean =>
  resource === 'accounts' ||
  resource === 'trunk_routes' ||
  (DESTINATIONS.has(resource) && action === 'update') ||
  OF_SECURITY.has(action)

const shown = ({ kind }: Field, value: Value): unknown =>
  kind === 'decimal' && typeof value === 'number' ? formatAmount(value) : value

/** Returns the declared fields that differ between two states of a record; null stands for no record. */
export function changesOf({ fields }: Pick<Resource, 'fields'>, before: Row | null, after: Row | null): Changes {
  const changes: Record<string, Change> = {}
  for (const name in fields) {
    const field = fields[name]
    if (!field) continue
    const was = before?.[name] ?? null
    const is = after?.[name] ?? null
    if (was === is) continue
    if (field.secret) changes[name] = 'changed'
    else
      changes[name] = {
        ...(before ? { before: shown(field, was) } : {}),
        ...(after ? { after: shown(field, is) } : {}),
      }
  }
  return changes
}
