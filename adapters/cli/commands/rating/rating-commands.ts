import { Command } from 'commander'
import { tenants } from '../../../../core/resources/tenants.ts'
import { type QuoteLine, quote, quoteLines, quoteShown } from '../../../../core/use-cases/calls/quoting.ts'
import { timeZoneOf } from '../../../../core/use-cases/records/time-zone.ts'
import type { Context } from '../../context.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import type { RunCommand } from '../../program.ts'
import { momentFrom } from '../../terminal/moments.ts'
import { printValue } from '../../terminal/output.ts'
import { styled } from '../../terminal/styles.ts'
import { checkCommand } from './check-command.ts'
import { pendingCommand } from './pending-commands.ts'

/** `runPlain` leaves decks that are due pending: one that cannot take effect must be shown and cancelled. */
export const rateTools = (run: RunCommand, runPlain: RunCommand): Command[] => [
  quoteCommand(run),
  checkCommand(run),
  pendingCommand(runPlain),
]

const QUOTE_HELP = 'trunkline rate quote --help'

function quoteCommand(run: RunCommand): Command {
  const command = tenantArgument(new Command('quote').description('what a call costs, and why'))
    .argument('[NUMBER]')
    .usage('[options] [TENANT] <NUMBER>')
    .option('--seconds <n>', 'answered seconds', '60')
    .option('--at <moment>', "for a call that starts then, by the tenant's time zone unless it has one (default: now)")
  example(
    command,
    'trunkline rate quote acme +380501234567 --seconds 90',
    'trunkline rate quote acme +380501234567 --at 2026-12-01T00:00',
  )
  return run(command, async (context, words, flags) => {
    const { tenant, rest } = await tenantFrom(context, words, flags, 1)
    const number = rest[0]?.trim() || (await askNumber(context))
    const seconds = secondsFrom(String(flags['seconds'] ?? 60))
    const services = await context.open()
    const tenantId = await resolve(services.records, tenants, tenant)
    const { at } = flags
    const moment =
      at === undefined ? null : momentFrom('--at', String(at), await timeZoneOf(services.records, tenantId))
    const quoted = await quote(services, { tenantId, number, seconds, at: moment })
    await printValue(context, quoteShown(quoted), () => quoteLines(quoted).map(line => drawn(context, line)))
    return quoted.steps.some(step => step.kind === 'result' && step.unrated) ? EXIT.negative : EXIT.ok
  })
}

async function askNumber(context: Context): Promise<string> {
  if (!context.options.interactive) throw new CliError(EXIT.usage, 'a number is required: the one to call', QUOTE_HELP)
  const { askText } = await import('../../terminal/ask.ts')
  return askText(context, 'number to call:', {
    validate: text => (text.trim() === '' ? 'The number to call is needed.' : true),
  })
}

function secondsFrom(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new CliError(EXIT.usage, '--seconds must be a whole number', again('--seconds', '90'))
}

const drawn = (context: Context, { label, text, aside, isMain }: QuoteLine): string =>
  `${styled(context, 'dim', label.padEnd(10))}${isMain ? styled(context, 'bold', text) : text}${aside}`
