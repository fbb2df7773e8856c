import type { Account, Accounts, Passwords, Role } from '../../ports/accounts.ts'
import type { Ids } from '../../ports/system.ts'
import { readNewCredentials } from './sign-in.ts'

/** An account that is to be made. Without a password it gets a random one. */
export interface NewAccount {
  readonly email: string
  readonly password?: string | undefined
  /** What stands before the `@` without it. */
  readonly name?: string | undefined
  /** `admin` without it. */
  readonly role?: Role | undefined
  /** The tenant that it is tied to; none without it. */
  readonly tenantId?: number | undefined
}

/** What the account's owner has to be shown, since nobody can read it again; null when they chose the password. */
interface Made {
  readonly madeUp: string | null
}

export interface AccountKeeping {
  /** Throws `invalid`, `conflict` when the e-mail is taken, `busy`. */
  create(account: NewAccount): Promise<Made & { readonly account: Account }>
  /** Gives an account a new password, a random one without it, and ends its sessions. Throws `invalid`, `busy`. */
  changePassword(account: Pick<Account, 'id' | 'email'>, password?: string): Promise<Made>
}

export function accountKeeping(accounts: Accounts, passwords: Passwords, ids: Ids): AccountKeeping {
  const credentials = async (email: string, given: string | undefined) => {
    const read = readNewCredentials({ email, password: given ?? ids.password() })
    return {
      email: read.email,
      passwordHash: await passwords.hash(read.password),
      madeUp: given === undefined ? read.password : null,
    }
  }
  return {
    create: async ({ email: given, password, name, role = 'admin', tenantId = null }) => {
      const { email, passwordHash, madeUp } = await credentials(given, password)
      const shown = name?.trim() || (email.split('@')[0] ?? email)
      return { account: await accounts.create({ email, name: shown, role, tenantId, passwordHash }), madeUp }
    },
    changePassword: async ({ id, email }, password) => {
      const { passwordHash, madeUp } = await credentials(email, password)
      await accounts.change(id, { passwordHash })
      return { madeUp }
    },
  }
}
