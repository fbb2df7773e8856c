import { Argument, Command, Option } from 'commander'
import type { RoleMode } from '../../../../core/access/modes.ts'
import { type Account, ROLES, type Role } from '../../../../core/ports/accounts.ts'
import { Problem } from '../../../../core/resources/field.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { broken, REQUIRED } from '../../../../core/resources/values/field-errors.ts'
import type { NewAccount } from '../../../../core/use-cases/accounts/accounts.ts'
import { accountFields, readCredentials, readNewCredentials } from '../../../../core/use-cases/accounts/sign-in.ts'
import { type Context, type Services, say } from '../../context.ts'
import { again, CliError, EXIT, withMore } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { alsoCalled, example } from '../../help.ts'
import { readSecret } from '../../input.ts'
import { resolve, spelling } from '../../naming/references.ts'
import { suggests } from '../../naming/suggestions.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { askText } from '../../terminal/ask.ts'
import { isAskedFor, printOutcome, printRows, printThing } from '../../terminal/output.ts'
import { counted } from '../../terminal/whole-number.ts'
import { assertWanted } from '../delete-command.ts'

export const addPasswordFlags = (command: Command): Command =>
  command
    .option('--password-file <file>', 'the password (8 characters or more) from a file, or - for standard input')
    .addOption(new Option('--random-password', 'make a random one and print it').conflicts('passwordFile'))

const roleOption = (): Option => new Option('--role <role>', 'the role of the account').choices([...ROLES])

const roleFrom = (given: unknown): Role | undefined => ROLES.find(role => role === given)

const validated =
  (name: keyof typeof accountFields) =>
  (given: string): true | string => {
    if (given === '') return broken(name, REQUIRED).sentence
    const value = accountFields[name].parse(given)
    return value instanceof Problem ? broken(name, value).sentence : true
  }

/** The password that the flags give, or that a person types twice; none when it is to be made up. */
async function readPassword(context: Context, flags: Flags): Promise<string | undefined> {
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

/** Throws, naming all that a script must give at once. */
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

/** A new account, checked, from the flags and from what a person is asked. */
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

/** Stores a new account and prints it, with its password when that was made up. */
export async function storeAccount(
  context: Context,
  { accountKeeping, records }: Services,
  wanted: NewAccount,
): Promise<void> {
  const { account, madeUp } = await accountKeeping.create(wanted)
  const shown = await shownAccount(records, account)
  if (madeUp !== null) await printThing(context, { ...shown, password: madeUp })
  else if (isAskedFor(context)) await printThing(context, shown)
}

/** With the slug of its tenant, where it is tied to one. */
async function shownAccount(records: Services['records'], { tenantId, ...account }: Account) {
  return tenantId === null ? account : { ...account, tenant: await tenantName(records, tenantId) }
}

async function tenantName(records: Services['records'], id: number): Promise<string> {
  return (await records.find(tenants, id)) ? spelling(records, tenants, id) : `${id} (deleted)`
}

async function accountOf({ accounts }: Services, email: string): Promise<Account> {
  const found = await accounts.findByEmail(email)
  if (!found) throw new CliError(EXIT.noRecord, `there is no account ${email}`, 'trunkline admin list')
  const { id, name, role, tenantId } = found
  return { id, name, email: found.email, role, tenantId }
}

export async function adminCommand(run: RunCommand): Promise<Command> {
  const group = new Command('admin').description('accounts that may log in')
  const commands = [listAccounts(run), create(run), changePassword(run), changeRole(run)]
  for (const command of [...commands, switchCommand(true, run), switchCommand(false, run), remove(run)])
    group.addCommand(alsoCalled(command))
  return group
}

function listAccounts(run: RunCommand): Command {
  const command = example(new Command('list').description('list the accounts'), 'trunkline admin list')
  return run(takesFields(command), async context => {
    const { accounts, records } = await context.open()
    const rows = []
    for (const { id, name, email, role, tenantId, disabled, createdAt } of await accounts.list())
      rows.push({
        id,
        name,
        email,
        role,
        state: disabled ? 'disabled' : 'active',
        created_at: createdAt,
        tenant: tenantId === null ? null : await tenantName(records, tenantId),
      })
    const kinds = {
      id: 'integer',
      name: 'text',
      email: 'text',
      role: 'text',
      state: 'text',
      created_at: 'date',
      tenant: 'text',
    } as const
    await printRows(context, kinds, rows)
  })
}

function create(run: RunCommand): Command {
  const command = addPasswordFlags(
    new Command('create')
      .description('create an account; at a terminal, asks for its password')
      .argument('<email>')
      .option('--name <name>', 'the name that is shown')
      .addOption(roleOption())
      .option('--tenant <tenant>', 'tie it to one tenant: it sees and changes only what belongs to that'),
  )
  example(command, 'trunkline admin create carol@example.com --role manager --random-password')
  return run(command, async (context, [email], flags) => {
    const services = await context.open()
    const { tenant } = flags
    const tenantId = tenant === undefined ? undefined : await resolve(services.records, tenants, String(tenant))
    const account = { ...(await askAccount(context, { ...flags, email })), tenantId }
    await storeAccount(context, services, account)
    say(context, aboutRoles(services.roles, account))
  })
}

/** Which rules hold for a new account. */
function aboutRoles(mode: RoleMode, { role = 'admin', tenantId }: NewAccount): string {
  const where = tenantId === undefined ? '' : ' with what belongs to its tenant'
  return mode === 'enforced'
    ? `Roles are enforced: the account may do what the role ${role} allows${where}.`
    : `Roles are not enforced: whatever its role, the account may do everything${where}. The setting roles = enforced limits it to its role.`
}

function changePassword(run: RunCommand): Command {
  const command = addPasswordFlags(
    new Command('passwd').description('give an account a new password; ends its sessions').argument('<email>'),
  )
  example(command, 'trunkline admin passwd admin@example.com --random-password')
  return run(command, async (context, [email = ''], flags) => {
    const services = await context.open()
    const account = await accountOf(services, email)
    const { madeUp } = await services.accountKeeping.changePassword(account, await readPassword(context, flags))
    if (madeUp !== null) await printThing(context, { ...account, password: madeUp })
    say(context, `The password of ${account.email} was changed; its sessions have ended.`)
  })
}

function changeRole(run: RunCommand): Command {
  const command = example(
    new Command('role')
      .description(`change the role of an account: ${ROLES.join(', ')}`)
      .argument('<email>')
      .addArgument(suggests(new Argument('<role>'), ROLES)),
    'trunkline admin role admin@example.com supervisor',
  )
  return run(command, async (context, [email = '', wanted = '']) => {
    const services = await context.open()
    const role = roleFrom(wanted)
    if (!role) throw new CliError(EXIT.usage, `there is no role ${wanted}; there are ${ROLES.join(', ')}`)
    await services.accounts.change((await accountOf(services, email)).id, { role })
    say(context, `${email} is ${role} now.`)
  })
}

function switchCommand(disabled: boolean, run: RunCommand): Command {
  const verb = disabled ? 'disable' : 'enable'
  const command = new Command(verb)
    .description(
      disabled
        ? 'disable an account and end its sessions; not the last one that can log in'
        : 'let a disabled account log in again',
    )
    .argument('<email>')
  example(command, `trunkline admin ${verb} admin@example.com`)
  return run(command, async (context, [email = '']) => {
    const services = await context.open()
    await services.accounts.change((await accountOf(services, email)).id, { disabled })
    say(context, `${email} is ${verb}d now.`)
  })
}

function remove(run: RunCommand): Command {
  const command = new Command('delete')
    .description('delete an account and its sessions; at a terminal, asks first')
    .argument('<email>')
    .option('-y, --yes', 'do not ask')
  example(command, 'trunkline admin delete admin@example.com --yes')
  return run(command, async (context, [email = ''], flags) => {
    const services = await context.open()
    const account = await accountOf(services, email)
    if (!flags['yes']) await assertWanted(context, `account ${email}`)
    await services.accounts.remove(account.id)
    say(context, `Account ${email} deleted.`)
  })
}

export async function sessionCommand(run: RunCommand): Promise<Command> {
  const group = new Command('session').description('who is logged in')
  group.addCommand(listSessions(run))
  group.addCommand(revoke(run))
  return group
}

function listSessions(run: RunCommand): Command {
  const command = example(new Command('list').description('list the sessions, newest first'), 'trunkline session list')
  return run(takesFields(command), async context => {
    const { sessions } = await context.open()
    const rows = (await sessions.list()).map(({ id, account, createdAt, expiresAt }) => ({
      id,
      email: account.email,
      created_at: createdAt,
      expires_at: expiresAt,
    }))
    await printRows(context, { id: 'text', email: 'text', created_at: 'date', expires_at: 'date' }, rows)
  })
}

function revoke(run: RunCommand): Command {
  const command = new Command('revoke')
    .description('end the sessions of an account, or of all')
    .argument('[email]')
    .option('--all', 'of every account')
  example(command, 'trunkline session revoke admin@example.com')
  return run(command, async (context, [email], flags) => {
    const services = await context.open()
    if ((email === undefined) === (flags['all'] === undefined))
      throw new CliError(
        EXIT.usage,
        email === undefined ? 'name an account, or give --all' : `give ${email} or --all, not both`,
        'trunkline session list',
      )
    const ended =
      email === undefined
        ? await services.sessions.endAll()
        : await services.sessions.endAll((await accountOf(services, email)).id)
    await printOutcome(context, { ended }, () => [`${counted(ended, 'session')} ended`])
  })
}
