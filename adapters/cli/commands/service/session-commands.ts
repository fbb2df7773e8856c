import { Command } from 'commander'
import { counted } from '../../../../core/format-count.ts'
import type { AccountKeeping } from '../../../../core/use-cases/accounts/accounts.ts'
import { CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printOutcome, printRows } from '../../terminal/output.ts'

export async function sessionCommand(run: RunCommand): Promise<Command> {
  const group = new Command('session').description('who is logged in')
  group.addCommand(listSessions(run))
  group.addCommand(revoke(run))
  return group
}

function listSessions(run: RunCommand): Command {
  const command = example(new Command('list').description('list the sessions, newest first'), 'trunkline session list')
  return run(takesFields(command), async context => {
    const { accountKeeping } = await context.open()
    const rows = (await accountKeeping.sessions()).map(({ id, account, createdAt, expiresAt }) => ({
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
    .description('end the sessions of an account, one session, or all')
    .argument('[email]')
    .option('--id <id>', 'the one that `session list` shows by this id')
    .option('--all', 'of every account')
  example(command, 'trunkline session revoke admin@example.com')
  return run(command, async (context, [email], { id, all }) => {
    const choices = [email, id, all].filter(each => each !== undefined)
    if (choices.length !== 1)
      throw new CliError(
        EXIT.usage,
        choices.length === 0
          ? 'name an account, or give --id or --all'
          : 'give an account, --id or --all, and only one',
        'trunkline session list',
      )
    const { accountKeeping } = await context.open()
    const ended = await end(accountKeeping, email, id)
    await printOutcome(context, { ended }, () => [`${counted(ended, 'session')} ended`])
  })
}

async function end(keeping: AccountKeeping, email: string | undefined, id: unknown): Promise<number> {
  if (typeof id !== 'string') return keeping.endSessions(email === undefined ? null : (await keeping.named(email)).id)
  await keeping.endSession(id)
  return 1
}
