import { formatAmount } from './amounts.ts'
import type { Timestamp } from './dates.ts'
import type { Field, Value } from './resources/field.ts'
import type { Resource, Row } from './resources/resource.ts'

/** Who does something: an account's e-mail or a user of the system, and the address or program it comes through. */
export interface Actor {
  readonly name: string
  readonly origin: string
}

/** Who makes changes for which no account is named. */
export const ITSELF: Actor = { name: 'trunkline', origin: 'the service itself' }

/** What is done to who may do what, and to secrets. */
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

/** What a field was and is; a secret is only said to have changed. */
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
  /** What a person called the record then, such as `acme/101`; null where it has no name. */
  readonly record_name: string | null
  readonly changes: Changes
}

const OF_SECURITY: ReadonlySet<string> = new Set(SECURITY_ACTIONS)

/** What is done to accounts is of security, and so are changes of gateways and `SECURITY_ACTIONS`. */
export const isOfSecurity = ({ action, resource }: Pick<AuditEntry, 'action' | 'resource'>): boolean =>
  resource === 'accounts' || (resource === 'sms_gateways' && action === 'update') || OF_SECURITY.has(action)

const shown = ({ kind }: Field, value: Value): unknown =>
  kind === 'decimal' && typeof value === 'number' ? formatAmount(value) : value

/** The declared fields that differ between two states of a record; null stands for no record. */
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
