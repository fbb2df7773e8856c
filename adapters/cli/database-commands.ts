import { existsSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { createAccount } from './account-commands.ts'
import { askText } from './ask.ts'
import { type Context, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { printValue, styled } from './output.ts'
import { example, type RunCommand, type Wiring } from './program.ts'

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** Makes the database, if need be, and the first account. */
export async function initCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = new Command('init')
    .description('create the database and the first account')
    .option('--email <email>', 'the e-mail of the account')
    .option('--name <name>', 'its name', 'Administrator')
    .option('--password-file <file>', 'its password from a file, or - for standard input')
    .option('--random-password', 'make a random password and print it')
  example(command, 'trunkline init --email admin@example.com --random-password')
  return run(command, async (context, _words, flags) => {
    const email =
      flags['email'] ??
      (context.options.interactive ? await askText(context, 'E-mail of the first account:') : undefined)
    if (typeof email !== 'string')
      throw new CliError(
        EXIT.usage,
        'there is no e-mail for the first account',
        'trunkline init --email admin@example.com --random-password',
      )
    const services = await wiring.open(context.options, { create: true, migrate: true })
    try {
      const { path } = await services.maintenance.statistics()
      if ((await services.accounts.count()) > 0)
        throw new CliError(EXIT.cannotCreate, `${path} has accounts already`, 'trunkline admin create EMAIL')
      await createAccount(context, services, { email, name: flags['name'] ?? 'Administrator' }, flags)
      say(context, `${path} is ready. Start the daemon with: trunkline serve`)
    } finally {
      await services.close()
    }
  })
}

export async function serveCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = new Command('serve').description('run the daemon in the foreground, until a signal ends it')
  example(command, 'trunkline serve --config trunkline.json')
  return run(command, context => wiring.serve(context.options))
}

/** Does the daemon answer where the settings say it listens? */
async function daemonState(wiring: Wiring, context: Context): Promise<{ url: string; state: 'up' | 'down' }> {
  const { host, port } = wiring.settings(context.options).values
  const url = `http://${host}:${port}`
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) })
    return { url, state: response.ok ? 'up' : 'down' }
  } catch {
    return { url, state: 'down' }
  }
}

export async function statusCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = example(
    new Command('status').description('what is there, and whether the daemon is up'),
    'trunkline status',
  )
  return run(command, async context => {
    const { maintenance } = await context.open()
    const statistics = await maintenance.statistics()
    const daemon = await daemonState(wiring, context)
    await printValue(context, { ...statistics, daemon }, () =>
      [
        `database  ${statistics.path} (${megabytes(statistics.bytes)}, log ${megabytes(statistics.logBytes)}, schema ${statistics.schema})`,
        `daemon    ${styled(context, daemon.state === 'up' ? 'green' : 'yellow', daemon.state)} (${daemon.url})`,
        '',
        ...Object.entries(statistics.counts).map(([name, count]) =>
          `${name.padEnd(14)}${String(count).padStart(12)}  ${statistics.lastWrites[name] ?? ''}`.trimEnd(),
        ),
        '',
      ].join('\n'),
    )
  })
}

interface Finding {
  readonly [member: string]: string
  readonly finding: string
  readonly mend: string
}

/** What an operator would want to know before it hurts. */
async function examine(context: Context, wiring: Wiring): Promise<Finding[]> {
  const { values } = wiring.settings(context.options)
  const path = context.options.db ?? String(values['db'])
  if (!existsSync(path)) return [{ finding: `there is no database at ${path}`, mend: 'trunkline init' }]
  const findings: Finding[] = []
  if ((statSync(path).mode & 0o077) !== 0)
    findings.push({ finding: `${path} can be read by others`, mend: `chmod 600 ${path}` })
  const { maintenance, accounts } = await context.open()
  for (const problem of await maintenance.check())
    findings.push({ finding: problem, mend: 'trunkline db restore BACKUP' })
  const usable = (await accounts.list()).filter(({ disabled }) => !disabled)
  if (usable.length === 0)
    findings.push({
      finding: 'no account can log in',
      mend: 'trunkline admin create admin@example.com --random-password',
    })
  const { logBytes } = await maintenance.statistics()
  if (logBytes > 256e6)
    findings.push({ finding: `the write-ahead log has grown to ${megabytes(logBytes)}`, mend: 'restart the daemon' })
  const { state, url } = await daemonState(wiring, context)
  if (state === 'down') findings.push({ finding: `the daemon does not answer at ${url}`, mend: 'trunkline serve' })
  return findings
}

export async function doctorCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = example(
    new Command('doctor').description('find what is wrong, and the command that mends it'),
    'trunkline doctor',
  )
  return run(command, async context => {
    const findings = await examine(context, wiring)
    await printValue(context, findings, () =>
      findings.length === 0
        ? `${styled(context, 'green', 'ok')}: nothing is wrong\n`
        : findings
            .map(({ finding, mend }) => `${styled(context, 'red', 'found')}: ${finding}\n mend: ${mend}\n`)
            .join(''),
    )
    return findings.length === 0 ? EXIT.ok : EXIT.negative
  })
}

export async function configCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('config').description('the settings in force')
  const show = example(
    new Command('show').description('every setting, its value and where it comes from'),
    'trunkline config show',
  )
  group.addCommand(
    run(show, async context => {
      const { values, sources } = wiring.settings(context.options)
      const rows = Object.entries(values).map(([setting, value]) => ({
        setting,
        value,
        source: sources[setting] ?? '',
      }))
      await printValue(context, rows, () =>
        rows
          .map(({ setting, value, source }) =>
            `${setting.padEnd(18)}${String(value ?? '').padEnd(28)}${source}`.trimEnd(),
          )
          .join('\n')
          .concat('\n'),
      )
    }),
  )
  const check = example(new Command('check').description('fail when a setting is wrong'), 'trunkline config check')
  group.addCommand(
    run(check, async context => {
      const { file } = wiring.settings(context.options)
      say(context, `The settings are right${file === null ? '' : ` (${file})`}.`)
    }),
  )
  return group
}

export async function dbCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('db').description('the database file: migrate, backup, restore, check')
  const migrate = example(new Command('migrate').description('bring the schema up to date'), 'trunkline db migrate')
  group.addCommand(
    run(migrate, async context => {
      const services = await wiring.open(context.options, { migrate: true })
      const { schema } = await services.maintenance.statistics()
      await services.close()
      await printValue(context, { schema }, () => `schema ${schema}\n`)
    }),
  )
  const backup = new Command('backup').description('write a verified copy while everything runs').argument('<file>')
  example(backup, 'trunkline db backup trunkline-backup.db')
  group.addCommand(
    run(backup, async (context, [to = '']) => {
      const { maintenance } = await context.open()
      const { bytes } = await maintenance.backup(to)
      await printValue(context, { file: to, bytes }, () => `${to}: ${megabytes(bytes)}, verified\n`)
    }),
  )
  const restore = new Command('restore')
    .description('put a backup in the place of the database; the daemon must not run')
    .argument('<file>')
  example(restore, 'trunkline db restore trunkline-backup.db')
  group.addCommand(
    run(restore, async (context, [from = '']) => {
      if (!existsSync(from)) throw new CliError(EXIT.noInput, `there is no file ${from}`)
      const { kept } = await wiring.restore(from, context.options)
      await printValue(
        context,
        { restored: from, kept },
        () => `restored ${from}${kept === null ? '' : `; the former database is ${kept}`}\n`,
      )
    }),
  )
  const check = example(new Command('check').description('check every page, key and reference'), 'trunkline db check')
  group.addCommand(
    run(check, async context => {
      const { maintenance } = await context.open()
      const findings = await maintenance.check()
      await printValue(
        context,
        findings.map(finding => ({ finding })),
        () => (findings.length === 0 ? 'ok\n' : `${findings.join('\n')}\n`),
      )
      return findings.length === 0 ? EXIT.ok : EXIT.negative
    }),
  )
  return group
}
