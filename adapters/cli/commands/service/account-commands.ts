import { Argument, Command } from 'commander'
import type { RoleMode } from '../../../../core/access/modes.ts'
import { ROLES } from '../../../../core/ports/accounts.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import type { NewAccount } from '../../../../core/use-cases/accounts/accounts.ts'
import { say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { alsoCalled, example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { suggests } from '../../naming/suggestions.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printRows, printThing } from '../../terminal/output.ts'
import { assertWanted } from '../delete-command.ts'
import { addPasswordFlags, askAccount, readPassword, roleFrom, roleOption, storeAccount } from './new-account.ts'

export async function adminCommand(run: RunCommand): Promise<Command> {
  const group = new Command('admin').description('accounts that may log in')
  const commands = [listAccounts(run), create(run), set(run), changePassword(run), changeRole(run)]
  for (const command of [...commands, switchCommand(true, run), switchCommand(false, run), remove(run)])
    group.addCommand(alsoCalled(command))
  return group
}

function listAccounts(run: RunCommand): Command {
  const command = example(new Command('list').description('list the accounts'), 'trunkline admin list')
  return run(takesFields(command), async context => {
    const { accountKeeping } = await context.open()
    const rows = (await accountKeeping.list()).map(({ disabled, createdAt, tenantId, tenant, ...account }) => ({
      ...account,
      state: disabled ? 'disabled' : 'active',
      created_at: createdAt,
      tenant: tenantId === null ? null : (tenant ?? `${tenantId} (deleted)`),
    }))
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
      .description('create an account; in a terminal, asks for its password')
      .argument('<email>')
      .option('--name <name>', 'the displayed name')
      .addOption(roleOption())
      .option('--tenant <SLUG|ID>', 'tie it to one tenant: it sees and changes only the records of that tenant'),
  )
  example(command, 'trunkline admin create carol@example.com --role manager --random-password')
  return run(command, async (context, [email], flags) => {
    const services = await context.open()
    const { tenant } = flags
    const tenantId = tenant === undefined ? null : await resolve(services.records, tenants, String(tenant))
    const account = { ...(await askAccount(context, { ...flags, email })), tenantId }
    await storeAccount(context, services, account)
    say(context, aboutRoles(services.roles, account))
  })
}

/** Explains which rules apply to a new account. */
function aboutRoles(mode: RoleMode, { role = 'admin', tenantId }: NewAccount): string {
  const where = tenantId === null ? '' : ' with what belongs to its tenant'
  return mode === 'enforced'
    ? `Roles are enforced: the account may do what the role ${role} allows${where}.`
    : `Roles are not enforced: whatever its role, the account may do everything${where}. The setting roles = enforced limits it to its role.`
}

function set(run: RunCommand): Command {
  const command = new Command('set')
    .description('change the name of an account, or the tenant that it is tied to')
    .argument('<email>')
    .option('--name <name>', 'the displayed name')
    .option('--tenant <SLUG|ID>', 'tie it to one tenant: it sees and changes only the records of that tenant')
    .option('--no-tenant', 'tie it to no tenant')
  example(command, 'trunkline admin set admin@example.com --tenant acme')
  return run(command, async (context, [email = ''], { name, tenant }) => {
    if (name === undefined && tenant === undefined)
      throw new CliError(EXIT.usage, 'nothing to change: give --name, --tenant or --no-tenant')
    const { accountKeeping, records } = await context.open()
    const { id } = await accountKeeping.named(email)
    await accountKeeping.change(id, {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof tenant === 'string' ? { tenantId: await resolve(records, tenants, tenant) } : {}),
      ...(tenant === false ? { tenantId: null } : {}),
    })
    say(context, `Account ${email} changed.`)
  })
}

function changePassword(run: RunCommand): Command {
  const command = addPasswordFlags(
    new Command('passwd').description('give an account a new password; ends its sessions').argument('<email>'),
  )
  example(command, 'trunkline admin passwd admin@example.com --random-password')
  return run(command, async (context, [email = ''], flags) => {
    const { accountKeeping } = await context.open()
    const account = await accountKeeping.named(email)
    const { madeUp } = await accountKeeping.changePassword(account, await readPassword(context, flags))
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
    const { accountKeeping } = await context.open()
    const role = roleFrom(wanted)
    if (!role) throw new CliError(EXIT.usage, `there is no role ${wanted}; there are ${ROLES.join(', ')}`)
    await accountKeeping.change((await accountKeeping.named(email)).id, { role })
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
    const { accountKeeping } = await context.open()
    await accountKeeping.change((await accountKeeping.named(email)).id, { disabled })
    say(context, `${email} is ${verb}d now.`)
  })
}

function remove(run: RunCommand): Command {
  const command = new Command('delete')
    .description('delete an account and its sessions; in a terminal, asks first')
    .argument('<email>')
    .option('-y, --yes', 'do not ask')
  example(command, 'trunkline admin delete admin@example.com --yes')
  return run(command, async (context, [email = ''], flags) => {
    const { accountKeeping } = await context.open()
    const { id } = await accountKeeping.named(email)
    if (!flags['yes']) await assertWanted(context, `account ${email}`)
    await accountKeeping.remove(id)
    say(context, `Account ${email} deleted.`)
  })
}
