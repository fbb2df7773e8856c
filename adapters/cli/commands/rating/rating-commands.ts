import { Command } from 'commander'
import { formatAmount } from '../../../../core/amounts.ts'
import { isOwnNumber } from '../../../../core/calls/record-call.ts'
import type { Timestamp } from '../../../../core/dates.ts'
import type { Dialling, ReadNumber } from '../../../../core/dialling/dialling.ts'
import type { JsonObject } from '../../../../core/json.ts'
import type { Rate } from '../../../../core/rating/deck.ts'
import { ALL_ALONG, type DeckState, deckTimeAt } from '../../../../core/rating/deck-times.ts'
import { type Explanation, explain } from '../../../../core/rating/explain.ts'
import type { Outcome } from '../../../../core/rating/outcome.ts'
import { passedOver } from '../../../../core/rating/passed-over.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import type { Context, Services } from '../../context.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { numberRead } from '../../naming/number-read.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import type { RunCommand } from '../../program.ts'
import { momentFrom, shownMoment, timeZoneOf } from '../../terminal/moments.ts'
import { printValue } from '../../terminal/output.ts'
import { styled } from '../../terminal/styles.ts'
import { checkCommand } from './check-command.ts'
import { pendingCommand } from './pending-commands.ts'

/** `runPlain` leaves decks that are due as they are: a deck that cannot take effect must be shown and cancelled. */
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
    const number = rest[0] ?? (await askNumber(context))
    const services = await context.open()
    const answeredSeconds = secondsFrom(String(flags['seconds'] ?? 60))
    const tenantId = await resolve(services.records, tenants, tenant)
    const deck = await deckMeant(services, tenantId, flags['at'])
    const { moment, effectiveAt } = deck
    const catalog = await services.calls.catalog(tenantId, moment)
    const destination = catalog.dialling.read(number)
    const direction = isOwnNumber(number, catalog, destination) ? 'inbound' : 'outbound'
    const call = { direction, answered: true, answeredSeconds, destination } as const
    const steps = explain(catalog.deckAt(moment), call, number)
    const inactive = await services.decks.inactiveRates(tenantId, moment)
    const rate = steps.find(step => step.kind === 'matching')?.rate ?? null
    const isLookedUp = steps.some(step => step.kind === 'number')
    const unused = isLookedUp ? passedOver(inactive, catalog.dialling, destination, rate) : []
    const named = await destinations(services, tenantId, moment, [
      ...steps.flatMap(step => ('rate' in step ? (step.rate ?? []) : [])),
      ...unused,
    ])
    const lines = (): string[] => [
      ...deckTold(context, deck),
      ...steps.flatMap(step => told(context, step, named, catalog.dialling)),
      ...unused.map(each => `${labelled(context, 'not used')}${rateLine(each, named)}: its status is ${each.status}`),
    ]
    await printValue(
      context,
      {
        ...quoteOf({ number, seconds: answeredSeconds, ...destination }, steps, named),
        ...{ at: moment, deck_effective_at: effectiveAt },
        passed_over: unused.map(each => ({ ...rateOf(each, named), status: each.status })),
      },
      lines,
    )
    return steps.some(step => step.kind === 'result' && step.unrated) ? EXIT.negative : EXIT.ok
  })
}

async function askNumber(context: Context): Promise<string> {
  if (!context.options.interactive) throw new CliError(EXIT.usage, 'a number is required: the one to call', QUOTE_HELP)
  const { askText } = await import('../../terminal/ask.ts')
  return askText(context, 'number to call:')
}

function secondsFrom(given: string): number {
  if (/^\d{1,10}$/.test(given)) return Number(given)
  throw new CliError(EXIT.usage, '--seconds must be a whole number', again('--seconds', '90'))
}

interface DeckMeant {
  readonly moment: Timestamp
  readonly timeZone: string
  /** When the deck of that moment takes effect; null where the tenant has had no other. */
  readonly effectiveAt: Timestamp | null
  readonly state: DeckState
}

/** The deck of the moment that is given, or of now. */
async function deckMeant({ records, decks, clock }: Services, tenantId: number, at: unknown): Promise<DeckMeant> {
  const timeZone = await timeZoneOf(records, tenantId)
  const moment = at === undefined ? clock.now() : momentFrom('--at', String(at), timeZone)
  const found = deckTimeAt(await decks.list({ tenantId, all: true }), moment)
  return { moment, timeZone, effectiveAt: found?.effectiveAt ?? null, state: found?.state ?? 'in force' }
}

function deckTold(context: Context, { effectiveAt, timeZone, state }: DeckMeant): string[] {
  if (effectiveAt === null || effectiveAt === ALL_ALONG) return []
  const kept = state === 'forgotten' ? '; its rates are not kept any more' : ''
  return [`${labelled(context, 'deck')}from ${shownMoment(effectiveAt, timeZone)}, ${state}${kept}`]
}

/** What these rates are called in the deck of that moment. */
async function destinations(
  { decks }: Services,
  tenantId: number,
  moment: Timestamp,
  shown: readonly NamedRate[],
): Promise<Destinations> {
  const named = new Map<NamedRate, string>()
  for (const rate of shown) named.set(rate, await decks.destination(tenantId, moment, rate))
  return named
}

/** What is shown of a rate, as kept with a call or in its deck. */
type NamedRate = Pick<Rate, 'id' | 'prefix'>
type Destinations = ReadonlyMap<NamedRate, string>

function rateLine(rate: Rate, named: Destinations): string {
  const { prefix, pricePerMinute, increment, id } = rate
  const known = id === null ? '' : `  (id ${id})`
  return `${prefix}  ${named.get(rate)}  ${formatAmount(pricePerMinute)} a minute, by ${increment} s${known}`
}

const rateOf = (rate: Rate, named: Destinations): JsonObject => ({
  id: rate.id,
  prefix: rate.prefix,
  destination: named.get(rate) ?? '',
  cost_per_minute: formatAmount(rate.pricePerMinute),
  billing_increment: rate.increment,
})

function quoteOf(
  { number, digits, kind, seconds }: ReadNumber & { readonly number: string; readonly seconds: number },
  steps: readonly Explanation[],
  named: Destinations,
): JsonObject {
  const result = steps.find(step => step.kind === 'result')
  const division = steps.find(step => step.kind === 'arithmetic')
  return {
    number,
    digits,
    number_kind: kind,
    seconds,
    matching: steps.flatMap(step => (step.kind === 'matching' ? [rateOf(step.rate, named)] : []))[0] ?? null,
    shorter: steps.flatMap(step => (step.kind === 'shorter' ? [rateOf(step.rate, named)] : [])),
    bill_seconds: result?.billSeconds ?? 0,
    /** cost_per_minute × bill_seconds / 60 in units of 0.0001: what the division leaves, in sixtieths of a unit. */
    remainder: division?.remainder ?? 0,
    rounded_up: division?.roundedUp ?? false,
    cost: formatAmount(result?.cost ?? 0),
    outcome: result?.outcome ?? '',
  }
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  rated: '',
  inbound: "  (one of the tenant's own numbers: the call is inbound and costs nothing)",
  'not answered': '  (no answered seconds cost nothing)',
  emergency: '  (an emergency call costs nothing)',
  'no match': '  (no rate matches)',
  'too large': '  (the cost is too large to be stored)',
}

const labelled = (context: Context, text: string): string => styled(context, 'dim', text.padEnd(10))

function told(context: Context, step: Explanation, named: Destinations, dialling: Dialling): string[] {
  const label = (text: string): string => labelled(context, text)
  switch (step.kind) {
    case 'number':
      return [`${label('number')}${numberRead(step.given, step.read, dialling)}`]
    case 'matching':
    case 'shorter': {
      const line = rateLine(step.rate, named)
      return [
        step.kind === 'matching' ? `${label('rate')}${styled(context, 'bold', line)}` : `${label('')}${line}, shorter`,
      ]
    }
    case 'rounding':
      if (step.seconds === step.billSeconds) return []
      return [`${label('seconds')}${step.seconds} rounded up to a multiple of ${step.increment} is ${step.billSeconds}`]
    case 'arithmetic': {
      const { billSeconds, pricePerMinute, remainder, roundedUp } = step
      const rounding = remainder === 0 ? 'exactly' : roundedUp ? 'rounded up to' : 'rounded down to'
      return [`${label('cost')}${billSeconds} s × ${formatAmount(pricePerMinute)} / 60 s, ${rounding}:`]
    }
    case 'result':
      return [`${label('')}${styled(context, 'bold', formatAmount(step.cost))}${OUTCOMES[step.outcome]}`]
  }
}
