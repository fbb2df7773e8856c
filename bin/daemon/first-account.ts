import { AppError } from '../../core/errors.ts'
import type { Trunkline } from '../compose.ts'

export interface FirstAccount {
  readonly email?: string | undefined
  readonly password?: string | undefined
  /** True if printed text is stored where others may read it; then no password is printed. */
  readonly isPrintKept?: boolean
}

/**
 * Creates an account to log in with if there is none: the configured one, or one with a random password, which is
 * printed. Returns `none` if it must not be printed. Throws `configuration`.
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
    // Another daemon that began at the same moment has created it.
    if ((await storage.accounts.count()) > 0) return 'there'
    throw new AppError('configuration', `TRUNKLINE_ADMIN_EMAIL and TRUNKLINE_ADMIN_PASSWORD: ${error.message}`)
  }
}
