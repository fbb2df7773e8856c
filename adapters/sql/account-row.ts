import type { Credentials, Role, StoredAccount } from '../../core/ports/accounts.ts'

/** An account as a storage selects it. */
export interface AccountRow {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly tenant_id: number | null
  readonly password_hash: string
  readonly disabled: boolean | 0 | 1
  readonly created_at: string
}

export const credentialsIn = ({
  id,
  name,
  email,
  role,
  tenant_id,
  password_hash,
  disabled,
}: AccountRow): Credentials => ({
  ...{ id, name, email, role, tenantId: tenant_id },
  passwordHash: password_hash,
  disabled: Boolean(disabled),
})

export const storedIn = ({ id, name, email, role, tenant_id, disabled, created_at }: AccountRow): StoredAccount => ({
  ...{ id, name, email, role, tenantId: tenant_id },
  disabled: Boolean(disabled),
  createdAt: created_at,
})
