import { Command } from 'commander'
import { formatAmount } from '../../core/amounts.ts'
import { parseDate } from '../../core/dates.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts'
import { type CheckedRate, checkDeck } from '../../core/rating/check-deck.ts'
import type { Rate } from '../../core/rating/deck.ts'
import { type Explanation, explain } from '../../core/rating/explain.ts'
import { FOREVER, type Period } from '../../core/rating/period.ts'
import { rates } from '../../core/resources/rates.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { type Context, type Services, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { printValue } from './output.ts'
import { example, type RunCommand } from './program.ts'
import { resolve } from './references.ts'
import { styled } from './table.ts'

/** The price of a number, checks of a deck and rating anew: what lets an operator trust the bill. */

export const periodOptions = (command: Command): Command =>
  command
    .option('--since <date>', 'calls that began at this moment or later (UTC unless it has a zone)')
    .option('--until <date>', 'calls that began before this moment')

export function periodFrom(flags: Flags): Period {
  const read = (flag: 'since' | 'until', fallback: string): string => {
    if (flags[flag] === undefined) return fallback
    const date = parseDate(String(flags[flag]).trim())
    if (date === null)
      throw new CliError(
        EXIT.usage,
        `--${flag} must be a valid date`,
        `write --${flag} 2026-10-01 or --${flag} '2026-10-01 12:00:00'`,
      )
    return date
  }
  return { from: read('since', FOREVER.from), to: read('until', FOREVER.to) }
}

export const rateTools = (run: RunCommand): Command[] => [quoteCommand(run), checkCommand(run)]

function quoteCommand(run: RunCommand): Command {
  const command = new Command('quote')
    .description('what a call costs, and why')
    .argument('<TENANT>')
    .argument('<NUMBER>')
    .option('--seconds <n>', 'answered seconds', '60')
  example(command, 'trunkline rate quote acme +380441234567 --seconds 90')
  return run(command, async (context, [tenant = '', number = ''], flags) => {
    const services = await context.open()
    const answeredSeconds = Number(flags['seconds'] ?? 60)
    if (!Number.isSafeInteger(answeredSeconds) || answeredSeconds < 0)
      throw new CliError(EXIT.usage, '--seconds must be a whole number')
    const { deck } = await services.calls.catalog(await resolve(services.records, tenants, tenant))
    const steps = explain(deck, { direction: 'outbound', answered: true, answeredSeconds, destinationNumber: number })
    const named = await destinations(services, steps)
    await printValue(
      context,
      quoted(number, answeredSeconds, steps, named),
      () => `${steps.flatMap(step => told(context, step, named)).join('\n')}\n`,
    )
    return steps.some(step => step.kind === 'result' && step.unrated) ? EXIT.negative : EXIT.ok
  })
}

/** The labels of the rates that the steps speak of, by id. */
async function destinations({ records }: Services, steps: readonly Explanation[]): Promise<Map<number, string>> {
  const named = new Map<number, string>()
  for (const step of steps)
    if (step.kind === 'matching' || step.kind === 'shorter')
      named.set(step.rate.id, String((await records.find(rates, step.rate.id))?.['destination'] ?? ''))
  return named
}

const rateOf = (rate: Rate, named: ReadonlyMap<number, string>): JsonObject => ({
  id: rate.id,
  prefix: rate.prefix,
  destination: named.get(rate.id) ?? '',
  cost_per_minute: formatAmount(rate.pricePerMinute),
  billing_increment: rate.increment,
})

function quoted(
  number: string,
  seconds: number,
  steps: readonly Explanation[],
  named: ReadonlyMap<number, string>,
): JsonObject {
  const result = steps.find(step => step.kind === 'result')
  return {
    number,
    seconds,
    matching: steps.flatMap(step => (step.kind === 'matching' ? [rateOf(step.rate, named)] : []))[0] ?? null,
    shorter: steps.flatMap(step => (step.kind === 'shorter' ? [rateOf(step.rate, named)] : [])),
    bill_seconds: result?.billSeconds ?? 0,
    cost: formatAmount(result?.cost ?? 0),
    outcome: result?.outcome ?? '',
  }
}

function told(context: Context, step: Explanation, named: ReadonlyMap<number, string>): string[] {
  const label = (text: string): string => styled(context, 'dim', text.padEnd(10))
  switch (step.kind) {
    case 'number':
      return [`${label('number')}${step.given} is matched as ${step.digits || 'nothing: it has no digits to match'}`]
    case 'matching':
    case 'shorter': {
      const { prefix, pricePerMinute, increment, id } = step.rate
      const line = `${prefix}  ${named.get(id)}  ${formatAmount(pricePerMinute)} a minute, by ${increment} s  (id ${id})`
      return [
        step.kind === 'matching' ? `${label('rate')}${styled(context, 'bold', line)}` : `${label('')}${line}, shorter`,
      ]
    }
    case 'rounding':
      return [`${label('seconds')}${step.seconds} rounded up to a multiple of ${step.increment} is ${step.billSeconds}`]
    case 'arithmetic': {
      const { billSeconds, pricePerMinute, remainder, roundedUp } = step
      const rounding = remainder === 0 ? 'exactly' : roundedUp ? 'rounded up to' : 'rounded down to'
      return [`${label('cost')}${billSeconds} s × ${formatAmount(pricePerMinute)} / 60 s, ${rounding}:`]
    }
    case 'result':
      return [
        `${label('')}${styled(context, 'bold', formatAmount(step.cost))}${step.outcome === 'rated' ? '' : `  (${step.outcome})`}`,
      ]
  }
}

function checkCommand(run: RunCommand): Command {
  const command = periodOptions(
    new Command('check').description('find duplicate, unused and missing rates of a tenant').argument('<TENANT>'),
  )
  example(command, 'trunkline rate check acme --since 2026-10-01')
  return run(command, async (context, [tenant = ''], flags) => {
    const { records, calls } = await context.open()
    const tenantId = await resolve(records, tenants, tenant)
    const period = periodFrom(flags)
    const { deck } = await calls.catalog(tenantId)
    const deckRates: CheckedRate[] = []
    for await (const page of records.list(rates, { view: 'plain', where: { tenant_id: tenantId } })) {
      const rows = parseJson(`[${page.json}]`)
      if (Array.isArray(rows)) deckRates.push(...rows.filter(isJsonObject).map(checkedRate))
    }
    const findings = checkDeck(
      deckRates,
      await calls.usedRates(tenantId, period),
      await calls.unratedDestinations(tenantId, period),
      deck.internationalPrefix,
    )
    await printValue(context, { ...findings }, () => summary(findings))
    return findings.duplicates.length + findings.unusable.length + findings.missing.length > 0 ? EXIT.negative : EXIT.ok
  })
}

const checkedRate = (row: JsonObject): CheckedRate => ({
  id: Number(row['id']),
  prefix: String(row['prefix']),
  destination: String(row['destination']),
  active: row['status'] === 'active',
})

const SHOWN = 20

function summary({ duplicates, unusable, unmatched, idle, missing }: ReturnType<typeof checkDeck>): string {
  const section = <T>(title: string, found: readonly T[], line: (one: T) => string): string => {
    const shown = found
      .slice(0, SHOWN)
      .map(one => `  ${line(one)}\n`)
      .join('')
    const more = found.length > SHOWN ? `  … and ${found.length - SHOWN} more (see --output json)\n` : ''
    return `${title}: ${found.length}\n${shown}${more}`
  }
  const named = ({ id, prefix, destination }: CheckedRate): string => `${prefix}  ${destination}  (id ${id})`
  return [
    section('prefixes with more than one active rate', duplicates, same => `${same.map(named).join('  over  ')}`),
    section('active rates whose prefix cannot be dialled', unusable, named),
    section(
      'dialled without a rate',
      missing,
      ({ prefix, calls }) => `${prefix}…  ${calls} ${calls === 1 ? 'call' : 'calls'}`,
    ),
    section('active rates that no call was rated by', unmatched, named),
    section('inactive rates that stand beside no active one', idle, named),
  ].join('')
}

export function rerateCommand(run: RunCommand): Command {
  const command = periodOptions(
    new Command('rerate').description("rate a tenant's calls anew by its present rates; what was is kept"),
  )
    .requiredOption('--tenant <SLUG|ID>', 'the tenant')
    .option('--unrated', 'only calls that no rate was found for')
    .option('--dry-run', 'only say what would change')
    .option('-y, --yes', 'without asking')
  example(command, 'trunkline cdr rerate --tenant acme --since 2026-10-01 --until 2026-11-01 --unrated --dry-run')
  return run(command, async (context, _words, flags) => {
    const { records, calls } = await context.open()
    const query = {
      ...periodFrom(flags),
      tenantId: await resolve(records, tenants, String(flags['tenant'])),
      unratedOnly: flags['unrated'] === true,
    }
    const dryRun = flags['dryRun'] === true
    if (!dryRun && !flags['yes']) {
      if (!context.options.interactive)
        throw new CliError(
          EXIT.usage,
          'changing what calls cost must be confirmed',
          'look with --dry-run, then repeat the command with --yes',
        )
      const preview = await calls.rerate(query, { dryRun: true, sample: 0 })
      const { confirm } = await import('./ask.ts')
      const question = `Change ${preview.changed} of ${preview.examined} calls, from ${formatAmount(preview.oldCost)} to ${formatAmount(preview.newCost)}?`
      if (!(await confirm(context, question))) throw new CliError(EXIT.negative, 'nothing was changed')
    }
    const result = await calls.rerate(query, { dryRun, sample: SHOWN })
    const shown = { ...result, oldCost: undefined, newCost: undefined, changes: result.changes.map(describedChange) }
    await printValue(
      context,
      {
        dry_run: dryRun,
        examined: shown.examined,
        changed: shown.changed,
        old_cost: formatAmount(result.oldCost),
        new_cost: formatAmount(result.newCost),
        still_unrated: shown.stillUnrated,
        changes: shown.changes,
      },
      () =>
        [
          ...shown.changes.map(
            ({ id, started_at, destination_number, old_cost, new_cost, new_prefix }) =>
              `${id}  ${started_at}  ${destination_number}  ${old_cost} -> ${new_cost}  by ${new_prefix ?? 'no rate'}`,
          ),
          ...(result.changed > shown.changes.length ? [`… and ${result.changed - shown.changes.length} more`] : []),
          `${dryRun ? 'would change' : 'changed'} ${result.changed} of ${result.examined} calls: ${formatAmount(result.oldCost)} -> ${formatAmount(result.newCost)}`,
          ...(result.stillUnrated > 0 ? [`still without a rate: ${result.stillUnrated}`] : []),
          '',
        ].join('\n'),
    )
    if (dryRun) say(context, 'Nothing was changed; do it with --yes in place of --dry-run.')
  })
}

const describedChange = ({
  id,
  started_at,
  destination_number,
  old,
  new: now,
}: Awaited<ReturnType<Services['calls']['rerate']>>['changes'][number]) => ({
  id,
  started_at,
  destination_number,
  old_cost: formatAmount(old.cost),
  new_cost: formatAmount(now.cost),
  old_bill_seconds: old.billSeconds,
  new_bill_seconds: now.billSeconds,
  old_prefix: old.prefix,
  new_prefix: now.prefix,
})
