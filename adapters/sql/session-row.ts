import type { Role, Session } from '../../core/ports/accounts.ts'

/** A session with its account, as a storage selects them. */
export interface SessionRow {
  readonly token_hash: string
  readonly created_at: string
  readonly expires_at: string
  readonly account_id: number
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly tenant_id: number | null
  readonly origin: string | null
}

/** The columns of a SessionRow, of the session `s` and the account `a`. */
export const SESSION_COLUMNS =
  's.token_hash, s.created_at, s.expires_at, s.origin, a.id AS account_id, a.name, a.email, a.role, a.tenant_id'

export const sessionIn = (row: SessionRow): Session => ({
  account: { id: row.account_id, name: row.name, email: row.email, role: row.role, tenantId: row.tenant_id },
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})
