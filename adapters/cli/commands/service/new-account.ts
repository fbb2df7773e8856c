import { type Command, Option } from 'commander'
import { type Account, ROLES, type Role } from '../../../../core/ports/accounts.ts'
import { Problem } from '../../../../core/resources/field.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { broken, REQUIRED } from '../../../../core/resources/values/field-errors.ts'
import type { NewAccount } from '../../../../core/use-cases/accounts/accounts.ts'
import { accountFields, readCredentials, readNewCredentials } from '../../../../core/use-cases/accounts/sign-in.ts'
import { type Context, type Services, say } from '../../context.ts'
import { again, CliError, EXIT, withMore } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { readSecret } from '../../input.ts'
import { naming } from '../../naming/references.ts'
import { askText } from '../../terminal/ask.ts'
import { isAskedFor, printThing } from '../../terminal/output.ts'

export const addPasswordFlags = (command: Command): Command =>
  command
    .option('--password-file <file>', 'the password (8 characters or more) from a file, or - for standard input')
    .addOption(new Option('--random-password', 'generate one and print it').conflicts('passwordFile'))

export const roleOption = (): Option => new Option('--role <role>', 'the role of the account').choices([...ROLES])

export const roleFrom = (value: unknown): Role | undefined => ROLES.find(role => role === value)

const validated =
  (name: keyof typeof accountFields) =>
  (text: string): true | string => {
    if (text === '') return broken(name, REQUIRED).sentence
    const value = accountFields[name].parse(text)
    return value instanceof Problem ? broken(name, value).sentence : true
  }

/** Returns the password from the flags, or as a person types it twice; undefined if it is to be generated. */
export async function readPassword(context: Context, flags: Flags): Promise<string | undefined> {
  if (flags['randomPassword']) return undefined
  if (typeof flags['passwordFile'] === 'string') return readSecret(context.io, flags['passwordFile'])
  if (!context.options.interactive)
    throw new CliError(
      EXIT.usage,
      'there is no password: give --password-file or --random-password',
      again('--random-password'),
    )
  for (;;) {
    const password = await askText(context, 'Password:', { hidden: true, validate: validated('password') })
    if ((await askText(context, 'The same again:', { hidden: true })) === password) return password
    say(context, 'The passwords differ; type both again.')
  }
}

/** Throws, naming everything that a script must give at once. */
function assertGiven(flags: Flags): void {
  const hasPassword = Boolean(flags['randomPassword']) || typeof flags['passwordFile'] === 'string'
  if (flags['email'] !== undefined) return
  if (hasPassword)
    throw new CliError(EXIT.usage, 'there is no e-mail: give --email', again('--email', 'admin@example.com'))
  throw new CliError(
    EXIT.usage,
    'there is no e-mail and no password: give --email, and --password-file or --random-password',
    withMore('--email', 'admin@example.com', '--random-password'),
  )
}

/** Returns a new account, checked, from the flags and a person's answers. */
export async function askAccount(context: Context, flags: Flags): Promise<NewAccount> {
  if (!context.options.interactive) assertGiven(flags)
  const email = String(flags['email'] ?? (await askText(context, 'E-mail:', { validate: validated('email') })))
  if (validated('email')(email) !== true) readCredentials({ email, password: 'any' })
  const password = await readPassword(context, flags)
  if (password !== undefined) readNewCredentials({ email, password })
  return {
    email,
    password,
    name: typeof flags['name'] === 'string' ? flags['name'] : undefined,
    role: roleFrom(flags['role']),
  }
}

/** Stores a new account and prints it, with its password if that was generated. */
export async function storeAccount(context: Context, services: Services, wanted: NewAccount): Promise<void> {
  const { account, madeUp } = await services.accountKeeping.create(wanted)
  const shown = await shownAccount(services, account)
  if (madeUp !== null) await printThing(context, { ...shown, password: madeUp })
  else if (isAskedFor(context)) await printThing(context, shown)
}

/** Adds the slug of its tenant, if it has one. */
async function shownAccount({ records }: Services, { tenantId, ...account }: Account) {
  return tenantId === null ? account : { ...account, tenant: await naming(records)(tenants, tenantId) }
}
