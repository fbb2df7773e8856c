import { AppError } from '../../core/errors.ts'
import type { Trunkline } from '../compose.ts'

export interface FirstAccount {
  readonly email?: string | undefined
  readonly password?: string | undefined
  /** Is what is printed kept, where others may read it? Then no password is. */
  readonly isPrintKept?: boolean
}

/**
 * Makes an account to log in with, when there is none yet: the named one, or one with a random password that is printed.
 * Returns `none` where it may not be printed. Throws `configuration`.
 */
export async function makeFirstAccount(
  { storage, accountKeeping }: Trunkline,
  { email = 'admin@localhost', password, isPrintKept }: FirstAccount,
  print: (line: string) => void,
): Promise<'there' | 'made' | 'none'> {
  if ((await storage.accounts.count()) > 0) return 'there'
  if (password === undefined && isPrintKept) return 'none'
  try {
    const { account, madeUp } = await accountKeeping.create({ name: 'Administrator', email, password })
    if (madeUp !== null) print(`first account: ${account.email} with password ${madeUp}`)
    return 'made'
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid')) throw error
    throw new AppError('configuration', `TRUNKLINE_ADMIN_EMAIL and TRUNKLINE_ADMIN_PASSWORD: ${error.message}`)
  }
}
