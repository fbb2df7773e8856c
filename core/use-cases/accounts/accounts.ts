import type { RoleMode } from '../../access/modes.ts'
import { unknownAccount } from '../../accounts.ts'
import type { Actor } from '../../audit.ts'
import type { Timestamp } from '../../dates.ts'
import { invalid, notFound } from '../../errors.ts'
import type { Account, AccountChange, Accounts, Passwords, Role, Session, Sessions } from '../../ports/accounts.ts'
import type { Records } from '../../ports/records.ts'
import type { Ids } from '../../ports/system.ts'
import { text } from '../../resources/field.ts'
import { tenants } from '../../resources/tenants.ts'
import { dangling } from '../../resources/values/field-errors.ts'
import { parseWhole } from '../../resources/values/input.ts'
import { readNewCredentials } from './sign-in.ts'

/** An account to create. Without a password it gets a random one. */
export interface NewAccount {
  readonly email: string
  readonly password?: string | undefined
  /** Default: the part of the e-mail before the `@`. */
  readonly name?: string | undefined
  /** Default: `admin`. */
  readonly role?: Role | undefined
  /** The tenant that it is tied to; none without it. */
  readonly tenantId?: number | null | undefined
}

/** The generated password, which can be shown only now; null if the owner chose one. */
interface Made {
  readonly madeUp: string | null
}

/** An account as its administrators see it. */
export interface ListedAccount extends Account {
  readonly disabled: boolean
  readonly createdAt: Timestamp
  /** The slug of its tenant; null if it has none, or its tenant was deleted. */
  readonly tenant: string | null
}

/** A session as administrators see it; `id` names it and is not its token. */
export interface ListedSession extends Session {
  readonly id: string
  /** The address of the login; null for sessions from before it was stored. */
  readonly origin: string | null
}

/**
 * Administers the accounts that may log in, and their sessions. Without `by`, the audit trail attributes changes to
 * the program.
 */
export interface AccountKeeping {
  list(): Promise<readonly ListedAccount[]>
  /** Finds an account by e-mail, in any case. Throws `not_found`. */
  named(email: string): Promise<Account>
  /** Throws `invalid`, `conflict` when the e-mail is taken, `busy`. */
  create(account: NewAccount, by?: Actor): Promise<Made & { readonly account: Account }>
  /**
   * Changes what is given; disabling an account ends its sessions. Throws `not_found`, `invalid`, and `conflict` if it
   * would disable the only account that can log in, or leave no admin of all tenants while roles are enforced.
   */
  change(id: number, change: Omit<AccountChange, 'passwordHash'>, by?: Actor): Promise<void>
  /** Gives an account a new password, a random one without it, and ends its sessions. Throws `invalid`, `busy`. */
  changePassword(account: Pick<Account, 'id' | 'email'>, password?: string, by?: Actor): Promise<Made>
  /** Deletes an account and its sessions. Throws as `change` does that disables it. */
  remove(id: number, by?: Actor): Promise<void>
  /** Latest first. */
  sessions(): Promise<readonly ListedSession[]>
  /** Ends one session. Throws `not_found`. */
  endSession(id: string, by?: Actor): Promise<void>
  /** Ends the sessions of one account, or of all; returns how many. */
  endSessions(accountId: number | null, by?: Actor): Promise<number>
}

export interface AccountPorts {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly records: Pick<Records, 'find'>
  readonly passwords: Passwords
  readonly ids: Ids
  readonly roles: RoleMode
}

const named = { name: text(255) }

export function accountKeeping({ accounts, sessions, records, passwords, ids, roles }: AccountPorts): AccountKeeping {
  const credentials = async (email: string, password: string | undefined) => {
    const read = readNewCredentials({ email, password: password ?? ids.password() })
    return {
      email: read.email,
      passwordHash: await passwords.hash(read.password),
      madeUp: password === undefined ? read.password : null,
    }
  }
  const slugOf = async (tenantId: number): Promise<string | null> => {
    const slug = (await records.find(tenants, tenantId))?.['slug']
    return typeof slug === 'string' ? slug : null
  }
  const assertTenant = async (tenantId: number | null | undefined): Promise<void> => {
    if (typeof tenantId === 'number' && (await slugOf(tenantId)) === null) throw invalid([dangling('tenant_id')])
  }
  return {
    list: async () => {
      const all = []
      for (const account of await accounts.list())
        all.push({ ...account, tenant: account.tenantId === null ? null : await slugOf(account.tenantId) })
      return all
    },
    named: async typedEmail => {
      const found = await accounts.findByEmail(typedEmail)
      if (!found) throw unknownAccount(typedEmail)
      const { id, name, email, role, tenantId } = found
      return { id, name, email, role, tenantId }
    },
    create: async ({ email: typedEmail, password, name, role = 'admin', tenantId = null }, by) => {
      await assertTenant(tenantId)
      const { email, passwordHash, madeUp } = await credentials(typedEmail, password)
      const shown = parseWhole(named, { name: name?.trim() || (email.split('@')[0] ?? email) })
      return { account: await accounts.create({ ...shown, email, role, tenantId, passwordHash }, by), madeUp }
    },
    change: async (id, { name, role, tenantId, disabled }, by) => {
      await assertTenant(tenantId)
      await accounts.change(
        id,
        {
          ...(name === undefined ? {} : parseWhole(named, { name })),
          ...(role === undefined ? {} : { role }),
          ...(tenantId === undefined ? {} : { tenantId }),
          ...(disabled === undefined ? {} : { disabled }),
        },
        by,
        roles,
      )
    },
    changePassword: async ({ id, email }, password, by) => {
      const { passwordHash, madeUp } = await credentials(email, password)
      await accounts.change(id, { passwordHash }, by)
      return { madeUp }
    },
    remove: (id, by) => accounts.remove(id, by, roles),
    sessions: () => sessions.list(),
    endSession: async (id, by) => {
      if ((await sessions.revoke({ id }, by)) === 0) throw notFound('Session')
    },
    endSessions: (accountId, by) => sessions.revoke(accountId === null ? 'all' : { accountId }, by),
  }
}
