import { randomBytes } from 'node:crypto'
import { AppError } from '../core/errors.ts'
import { readNewCredentials } from '../core/use-cases/sign-in.ts'
import type { Trunkline } from './compose.ts'

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
  { storage, passwords }: Trunkline,
  first: FirstAccount,
  print: (line: string) => void,
): Promise<'there' | 'made' | 'none'> {
  if ((await storage.accounts.count()) > 0) return 'there'
  if (first.password === undefined && first.isPrintKept) return 'none'
  const { email, password } = firstCredentials(first)
  const passwordHash = await passwords.hash(password)
  await storage.accounts.create({ name: 'Administrator', email, role: 'admin', passwordHash })
  if (first.password === undefined) print(`first account: ${email} with password ${password}`)
  return 'made'
}

function firstCredentials({
  email = 'admin@localhost',
  password = randomBytes(15).toString('base64url'),
}: Pick<FirstAccount, 'email' | 'password'>) {
  try {
    return readNewCredentials({ email, password })
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new AppError('configuration', `TRUNKLINE_ADMIN_EMAIL and TRUNKLINE_ADMIN_PASSWORD: ${why}`)
  }
}
