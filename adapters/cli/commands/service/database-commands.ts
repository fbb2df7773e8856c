import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../../../core/errors.ts'
import { type Context, say } from '../../context.ts'
import type { Finding, Patient } from '../../doctor/check.ts'
import { examined, patientOf, tell } from '../../doctor/findings.ts'
import { tenancy } from '../../doctor/records/tenancy.ts'
import { damage } from '../../doctor/service/damage.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import type { RunCommand, Wiring } from '../../program.ts'
import { printOutcome } from '../../terminal/output.ts'
import { suggested } from '../../terminal/report.ts'
import { noteDeed } from '../../trail.ts'
import { copyCommand } from './copy-command.ts'
import { addPasswordFlags, askAccount, storeAccount } from './new-account.ts'
import { megabytes } from './service-commands.ts'

/** Creates the database, if needed, and the first account. */
export async function initCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = addPasswordFlags(
    new Command('init')
      .description('create the database and the first account; in a terminal, asks for what is missing')
      .option('--email <email>', 'the e-mail of the account (required)')
      .option('--name <name>', 'its name', 'Administrator'),
  )
  example(command, 'trunkline init --email admin@example.com --random-password')
  return run(command, async (context, _words, flags) => {
    const place = await wiring.database(context.options)
    if (await place.isThere()) {
      const { accountKeeping } = await context.open({ migrate: true })
      if ((await accountKeeping.list()).length > 0)
        throw new CliError(EXIT.cannotCreate, `${place.name} already has accounts`, 'trunkline admin list')
    }
    const account = await askAccount(context, { name: 'Administrator', ...flags, role: 'admin' })
    const services = await context.open({ create: true, migrate: true })
    await storeAccount(context, services, account)
    say(context, `${place.name} is ready. Start the daemon with: ${suggested('trunkline serve', context.options)}`)
  })
}

export async function dbCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('db').description('the database')
  for (const command of [
    migrateCommand(run),
    backupCommand(run),
    restoreCommand(run, wiring),
    copyCommand(run, wiring),
    checkCommand(run, wiring),
  ])
    group.addCommand(command)
  return group
}

function migrateCommand(run: RunCommand): Command {
  const command = new Command('migrate').description('bring the schema up to date')
  example(command, 'trunkline db migrate')
  return run(command, async context => {
    const { maintenance } = await context.open({ migrate: true })
    const { schema } = await maintenance.statistics()
    await printOutcome(context, { schema }, () => [`schema ${schema}`])
  })
}

function backupCommand(run: RunCommand): Command {
  const command = new Command('backup').description('write a verified copy while everything runs').argument('<file>')
  example(command, 'trunkline db backup trunkline-backup.db')
  return run(command, async (context, [to = '']) => {
    const { maintenance } = await context.open()
    assertCreatable(to)
    const { bytes } = await maintenance.backup(to)
    await noteDeed(context, { action: 'backup', resource: 'database', changes: { file: resolve(to), bytes } })
    await printOutcome(context, { file: to, bytes }, () => [`${to}: ${megabytes(bytes)}, verified`])
  })
}

function assertCreatable(path: string): void {
  if (existsSync(path)) throw new CliError(EXIT.cannotCreate, `${path} already exists`)
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
  } catch {
    throw new CliError(EXIT.cannotCreate, `cannot create a file in ${dirname(path)}`)
  }
}

function restoreCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('restore')
    .description(
      'replace the database by a backup; stop the daemon first; the old database is kept; in a terminal, asks first',
    )
    .argument('<file>')
    .option('-y, --yes', 'do not ask')
  example(command, 'trunkline db restore trunkline-backup.db --yes')
  return run(command, async (context, [from = ''], flags) => {
    if (!existsSync(from)) throw new CliError(EXIT.noInput, `there is no file ${from}`)
    const place = await wiring.database(context.options)
    const folder = place.file === null ? null : dirname(place.file)
    if (folder !== null && !existsSync(folder)) throw new CliError(EXIT.cannotCreate, `there is no folder ${folder}`)
    const isThere = place.file === null ? await place.isThere() : existsSync(place.file)
    if (flags['yes'] !== true && isThere) await assertMeant(context, from, place.name)
    const { kept } = await place.restore(from).catch(inUse)
    await noteDeed(context, {
      action: 'restore',
      resource: 'database',
      changes: { file: resolve(from), kept: kept ?? '' },
    })
    const former = kept === null ? '' : `; the old database is ${kept}`
    await printOutcome(context, { restored: from, kept }, () => [`restored ${from}${former}`])
  })
}

/** Asks a person; a script must confirm in advance. */
async function assertMeant(context: Context, from: string, database: string): Promise<void> {
  if (!context.options.interactive)
    throw new CliError(EXIT.usage, `replacing ${database} by ${from} must be confirmed`, again('--yes'))
  const { confirm } = await import('../../terminal/ask.ts')
  const written = statSync(from).mtime.toISOString().slice(0, 16).replace('T', ' ')
  const question = `Replace ${database} by ${from}, written ${written} UTC? Everybody is logged out.`
  if (!(await confirm(context, question))) throw new CliError(EXIT.negative, 'nothing was restored')
}

function inUse(error: unknown): never {
  if (error instanceof AppError && error.code === 'conflict')
    throw new CliError(EXIT.busy, error.message, 'systemctl stop trunklined', error)
  throw error
}

function checkCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('check').description(
    'check every page, key and reference, and that no record joins two tenants',
  )
  example(command, 'trunkline db check')
  return run(command, context => tell(context, integrity(patientOf(context, wiring), context), ''))
}

/** Looks for records that join two tenants only if the whole database can be read. */
async function* integrity(patient: Patient, context: Context): AsyncIterable<Finding> {
  let isWhole = true
  for await (const found of examined([damage], patient, context)) {
    if (found.kind === 'damage') isWhole = false
    yield found
  }
  if (isWhole) yield* examined([tenancy], patient, context)
}
