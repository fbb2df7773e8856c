import { formatAmount } from '../../amounts.ts'
import { isOwnNumber } from '../../calls/record-call.ts'
import { shownMoment } from '../../calls/switch-time.ts'
import type { Timestamp } from '../../dates.ts'
import type { Dialling, ReadNumber } from '../../dialling/read-number.ts'
import { notFound } from '../../errors.ts'
import type { JsonObject } from '../../json.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Decks } from '../../ports/decks.ts'
import type { Records } from '../../ports/records.ts'
import type { Clock } from '../../ports/system.ts'
import type { Rate } from '../../rating/deck.ts'
import { ALL_ALONG, type DeckState, deckTimeAt } from '../../rating/deck-times.ts'
import { type Explanation, explain } from '../../rating/explain.ts'
import { numberRead } from '../../rating/number-read.ts'
import type { Outcome } from '../../rating/outcome.ts'
import { type InactiveRate, passedOver } from '../../rating/passed-over.ts'
import { tenants } from '../../resources/tenants.ts'

export interface QuotePorts {
  readonly records: Pick<Records, 'find'>
  readonly calls: Pick<Calls, 'catalog'>
  readonly decks: Pick<Decks, 'list' | 'inactiveRates' | 'destination'>
  readonly clock: Pick<Clock, 'now'>
}

export interface QuoteRequest {
  readonly tenantId: number
  /** As dialled. */
  readonly number: string
  /** Answered seconds, a whole number. */
  readonly seconds: number
  /** When the call starts; null for now. */
  readonly at: Timestamp | null
}

/** What a call costs, and why. */
export interface Quote extends QuoteRequest {
  readonly at: Timestamp
  readonly read: ReadNumber
  readonly dialling: Dialling
  readonly timeZone: string
  /** When the deck of that moment takes effect; null if the tenant has had only one. */
  readonly effectiveAt: Timestamp | null
  readonly state: DeckState
  readonly steps: readonly Explanation[]
  /** Rates that would match if they were active. */
  readonly unused: readonly InactiveRate[]
  /** Returns the destination of a rate in the deck of that moment. */
  destination(rate: NamedRate): string
}

type NamedRate = Pick<Rate, 'id' | 'prefix'>

/** Throws `not_found` if there is no such tenant. */
export async function quote(ports: QuotePorts, request: QuoteRequest): Promise<Quote> {
  const { records, calls, decks, clock } = ports
  const { tenantId, number, seconds } = request
  const tenant = await records.find(tenants, tenantId)
  if (!tenant) throw notFound(tenants.label)
  const at = request.at ?? clock.now()
  const deck = deckTimeAt(await decks.list({ tenantId, all: true }), at)
  const catalog = await calls.catalog(tenantId, at)
  const read = catalog.dialling.read(number)
  const direction = isOwnNumber(number, catalog, read) ? 'inbound' : 'outbound'
  const call = { direction, answered: true, answeredSeconds: seconds, destination: read } as const
  const steps = explain(catalog.deckAt(at), call, number)
  const rate = steps.find(step => step.kind === 'matching')?.rate ?? null
  const isLookedUp = steps.some(step => step.kind === 'number')
  const unused = isLookedUp ? passedOver(await decks.inactiveRates(tenantId, at), catalog.dialling, read, rate) : []
  const named = new Map<NamedRate, string>()
  for (const each of [...steps.flatMap(step => ('rate' in step ? (step.rate ?? []) : [])), ...unused])
    named.set(each, await decks.destination(tenantId, at, each))
  return {
    ...{ tenantId, number, seconds, at, read, steps, unused },
    dialling: catalog.dialling,
    timeZone: String(tenant['timezone']),
    effectiveAt: deck?.effectiveAt ?? null,
    state: deck?.state ?? 'in force',
    destination: each => named.get(each) ?? '',
  }
}

const rateShown = (rate: Rate, { destination }: Quote): JsonObject => ({
  id: rate.id,
  prefix: rate.prefix,
  destination: destination(rate),
  cost_per_minute: formatAmount(rate.pricePerMinute),
  billing_increment: rate.increment,
})

/** Returns a quote as JSON. */
export function quoteShown(quoted: Quote): JsonObject {
  const { number, seconds, at, read, steps, unused, effectiveAt } = quoted
  const result = steps.find(step => step.kind === 'result')
  const division = steps.find(step => step.kind === 'arithmetic')
  const [matching] = steps.flatMap(step => (step.kind === 'matching' ? [rateShown(step.rate, quoted)] : []))
  return {
    number,
    digits: read.digits,
    number_kind: read.kind,
    seconds,
    matching: matching ?? null,
    shorter: steps.flatMap(step => (step.kind === 'shorter' ? [rateShown(step.rate, quoted)] : [])),
    bill_seconds: result?.billSeconds ?? 0,
    /**
     * cost_per_minute × bill_seconds / 60 in units of 0.0001: the remainder of the division, in sixtieths of a unit.
     */
    remainder: division?.remainder ?? 0,
    rounded_up: division?.roundedUp ?? false,
    cost: formatAmount(result?.cost ?? 0),
    outcome: result?.outcome ?? '',
    at,
    deck_effective_at: effectiveAt,
    passed_over: unused.map(each => ({ ...rateShown(each, quoted), status: each.status })),
  }
}

/** A line of an explanation; an empty label continues the line above. */
export interface QuoteLine {
  readonly label: string
  readonly text: string
  /** An addition to the main text. */
  readonly aside: string
  readonly isMain: boolean
}

const line = (label: string, text: string, aside = '', isMain = false): QuoteLine => ({ label, text, aside, isMain })

/** Returns a quote step by step, for people. */
export function quoteLines(quoted: Quote): QuoteLine[] {
  return [
    ...deckLines(quoted),
    ...quoted.steps.flatMap(step => stepLines(step, quoted)),
    ...quoted.unused.map(each => line('not used', `${rateLine(each, quoted)}: its status is ${each.status}`)),
  ]
}

function deckLines({ effectiveAt, timeZone, state }: Quote): QuoteLine[] {
  if (effectiveAt === null || effectiveAt === ALL_ALONG) return []
  const kept = state === 'forgotten' ? '; its rates are no longer kept' : ''
  return [line('deck', `from ${shownMoment(effectiveAt, timeZone)}, ${state}${kept}`)]
}

function rateLine(rate: Rate, { destination }: Quote): string {
  const { prefix, pricePerMinute, increment, id } = rate
  const idText = id === null ? '' : `  (id ${id})`
  return `${prefix}  ${destination(rate)}  ${formatAmount(pricePerMinute)} a minute, by ${increment} s${idText}`
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  rated: '',
  inbound: "  (one of the tenant's own numbers: the call is inbound and costs nothing)",
  'not answered': '  (no answered seconds cost nothing)',
  emergency: '  (an emergency call costs nothing)',
  'no match': '  (no rate matches)',
  'too large': '  (the cost is too large to be stored)',
}

function stepLines(step: Explanation, quoted: Quote): QuoteLine[] {
  switch (step.kind) {
    case 'number':
      return [line('number', numberRead(step.given, step.read, quoted.dialling))]
    case 'matching':
      return [line('rate', rateLine(step.rate, quoted), '', true)]
    case 'shorter':
      return [line('', `${rateLine(step.rate, quoted)}, shorter`)]
    case 'rounding':
      if (step.seconds === step.billSeconds) return []
      return [line('seconds', `${step.seconds} rounded up to a multiple of ${step.increment} is ${step.billSeconds}`)]
    case 'arithmetic': {
      const { billSeconds, pricePerMinute, remainder, roundedUp } = step
      const rounding = remainder === 0 ? 'exactly' : roundedUp ? 'rounded up to' : 'rounded down to'
      return [line('cost', `${billSeconds} s × ${formatAmount(pricePerMinute)} / 60 s, ${rounding}:`)]
    }
    case 'result':
      return [line('', formatAmount(step.cost), OUTCOMES[step.outcome], true)]
  }
}
