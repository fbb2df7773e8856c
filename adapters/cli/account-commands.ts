import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { type Account, ROLES, type Role } from '../../core/ports.ts'
import { readCredentials } from '../../core/use-cases/sign-in.ts'
import { askText, confirm } from './ask.ts'
import { type Context, type Services, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { readSecret } from './input.ts'
import { printValue, table } from './output.ts'
import { example, type RunCommand } from './program.ts'

const passwordOptions = (command: Command): Command =>
  command
    .option('--password-file <file>', 'the password from a file, or - for standard input')
    .option('--random-password', 'make a random one and print it')

const roleOption = (): Option => new Option('--role <role>', 'what the account is shown as').choices([...ROLES])

const roleFrom = (given: unknown): Role | undefined => ROLES.find(role => role === given)

/** The password that the flags give, or that a person types twice. */
export async function readPassword(context: Context, flags: Flags): Promise<{ password: string; isRandom: boolean }> {
  if (flags['randomPassword']) return { password: randomBytes(15).toString('base64url'), isRandom: true }
  if (typeof flags['passwordFile'] === 'string')
    return { password: await readSecret(context.io, flags['passwordFile']), isRandom: false }
  if (!context.options.interactive)
    throw new CliError(
      EXIT.usage,
      'there is no password',
      'add --password-file FILE, --password-file - or --random-password',
    )
  const password = await askText(context, 'Password:', {
    hidden: true,
    validate: given => given !== '' || 'The password field is required.',
  })
  await askText(context, 'The same again:', {
    hidden: true,
    validate: given => given === password || 'The two are not the same.',
  })
  return { password, isRandom: false }
}

/** Makes an account and prints it, with its password when that was made up. */
export async function createAccount(
  context: Context,
  { accounts, passwords }: Services,
  given: { email: string; name?: unknown; role?: unknown },
  flags: Flags,
): Promise<void> {
  const { password, isRandom } = await readPassword(context, flags)
  const { email } = readCredentials({ email: given.email, password })
  const name = typeof given.name === 'string' && given.name.trim() ? given.name.trim() : (email.split('@')[0] ?? email)
  const role = roleFrom(given.role) ?? 'admin'
  const account = await accounts.create({ name, email, role, passwordHash: await passwords.hash(password) })
  await printAccount(context, account, isRandom ? { password } : {})
}

const printAccount = (context: Context, account: Account, extra: Record<string, string>): Promise<void> =>
  printValue(context, { ...account, ...extra }, () =>
    Object.entries({ ...account, ...extra })
      .map(([name, value]) => `${name.padEnd(8)}  ${value}\n`)
      .join(''),
  )

async function accountOf({ accounts }: Services, email: string): Promise<Account> {
  const found = await accounts.findByEmail(email)
  if (!found) throw new CliError(EXIT.noRecord, `there is no account ${email}`, 'trunkline admin list')
  return found
}

export async function adminCommand(run: RunCommand): Promise<Command> {
  const group = new Command('admin').description('accounts that may log in')
  const list = example(new Command('list').description('list the accounts'), 'trunkline admin list')
  group.addCommand(
    run(list, async context => {
      const { accounts } = await context.open()
      const rows = (await accounts.list()).map(({ id, name, email, role, disabled, createdAt }) => ({
        id,
        name,
        email,
        role,
        state: disabled ? 'disabled' : 'active',
        created_at: createdAt,
      }))
      await printTable(context, rows)
    }),
  )
  const create = passwordOptions(
    new Command('create')
      .description('make an account')
      .argument('<email>')
      .option('--name <name>', 'the name that is shown')
      .addOption(roleOption()),
  )
  example(create, 'trunkline admin create carol@example.com --role manager --random-password')
  group.addCommand(
    run(create, async (context, [email = ''], flags) => {
      await createAccount(context, await context.open(), { email, name: flags['name'], role: flags['role'] }, flags)
    }),
  )
  const passwd = passwordOptions(
    new Command('passwd').description('give an account a new password; ends its sessions').argument('<email>'),
  )
  example(passwd, 'trunkline admin passwd admin@example.com --random-password')
  group.addCommand(
    run(passwd, async (context, [email = ''], flags) => {
      const services = await context.open()
      const account = await accountOf(services, email)
      const { password, isRandom } = await readPassword(context, flags)
      readCredentials({ email, password })
      await services.accounts.change(account.id, { passwordHash: await services.passwords.hash(password) })
      if (isRandom) await printAccount(context, account, { password })
      say(context, `The password of ${account.email} was changed; its sessions have ended.`)
    }),
  )
  const role = example(
    new Command('role').description('change the role of an account').argument('<email>').argument('<role>'),
    'trunkline admin role admin@example.com supervisor',
  )
  group.addCommand(
    run(role, async (context, [email = '', wanted = '']) => {
      const services = await context.open()
      const known = roleFrom(wanted)
      if (!known) throw new CliError(EXIT.usage, `there is no role ${wanted}`, `choose from ${ROLES.join(', ')}`)
      await services.accounts.change((await accountOf(services, email)).id, { role: known })
      say(context, `${email} is ${known} now.`)
    }),
  )
  for (const disabled of [true, false]) group.addCommand(switchCommand(disabled, run))
  const remove = new Command('delete')
    .description('delete an account and its sessions')
    .argument('<email>')
    .option('-y, --yes', 'without asking')
  example(remove, 'trunkline admin delete admin@example.com --yes')
  group.addCommand(
    run(remove, async (context, [email = ''], flags) => {
      const services = await context.open()
      const account = await accountOf(services, email)
      if (!flags['yes']) {
        if (!context.options.interactive)
          throw new CliError(EXIT.usage, `deleting ${email} must be confirmed`, 'repeat the command with --yes')
        if (!(await confirm(context, `Delete the account ${email}?`)))
          throw new CliError(EXIT.negative, 'nothing was deleted')
      }
      await services.accounts.remove(account.id)
      say(context, `${email} was deleted.`)
    }),
  )
  return group
}

function switchCommand(disabled: boolean, run: RunCommand): Command {
  const verb = disabled ? 'disable' : 'enable'
  const command = new Command(verb)
    .description(
      disabled ? 'keep an account from logging in; ends its sessions' : 'let a disabled account log in again',
    )
    .argument('<email>')
  example(command, `trunkline admin ${verb} admin@example.com`)
  return run(command, async (context, [email = '']) => {
    const services = await context.open()
    await services.accounts.change((await accountOf(services, email)).id, { disabled })
    say(context, `${email} is ${verb}d now.`)
  })
}

export async function sessionCommand(run: RunCommand): Promise<Command> {
  const group = new Command('session').description('who is logged in')
  const list = example(new Command('list').description('list the sessions, newest first'), 'trunkline session list')
  group.addCommand(
    run(list, async context => {
      const { sessions } = await context.open()
      const rows = (await sessions.list()).map(({ id, account, createdAt, expiresAt }) => ({
        id,
        email: account.email,
        created_at: createdAt,
        expires_at: expiresAt,
      }))
      await printTable(context, rows)
    }),
  )
  const revoke = new Command('revoke')
    .description('end the sessions of an account, or of all')
    .argument('[email]')
    .option('--all', 'of every account')
  example(revoke, 'trunkline session revoke admin@example.com')
  group.addCommand(
    run(revoke, async (context, [email], flags) => {
      const services = await context.open()
      if (!email === !flags['all'])
        throw new CliError(EXIT.usage, 'name an account, or --all', 'trunkline session list')
      const ended = email
        ? await services.sessions.endAll((await accountOf(services, email)).id)
        : await services.sessions.endAll()
      await printValue(context, { ended }, () => `${ended} ${ended === 1 ? 'session' : 'sessions'} ended\n`)
    }),
  )
  return group
}

/** Rows that are no records of a resource, as a table at a terminal and tab-separated elsewhere. */
async function printTable(context: Context, rows: readonly Record<string, string | number>[]): Promise<void> {
  await printValue(context, rows, () => {
    const names = Object.keys(rows[0] ?? {})
    const cells = rows.map(row => names.map(name => String(row[name] ?? '')))
    if (!context.io.stdout.isTTY) return cells.map(row => `${row.join('\t')}\n`).join('')
    return table(
      context,
      names.map(name => ({ name, isNumber: name === 'id', of: () => '' })),
      cells,
    )
  })
}
