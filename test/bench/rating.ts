/** Prints what building a deck and rating calls by it cost; `node --import tsx test/bench/rating.ts [destinations.csv]`. */
import { existsSync, readFileSync } from 'node:fs'
import { type Dialling, plainDialling, type ReadNumber } from '../../core/dialling/dialling.ts'
import { planOf } from '../../core/dialling/plan.ts'
import { diallingOf } from '../../core/dialling/settings.ts'
import { charge } from '../../core/rating/cost.ts'
import { buildDeck, type Deck, type Rate } from '../../core/rating/deck.ts'

const RATES = 200_000
const CALLS = 500_000
const ROUNDS = 5

interface Call {
  readonly number: string
  readonly seconds: number
}

const plain = plainDialling('00')
const rates = prefixes(process.argv[2] ?? '../shared/data/destinations.csv').map(rateOf)
const calls = Array.from({ length: CALLS }, (_, n) => callTo(rates[(n * 7919) % rates.length]?.prefix ?? '', n))

/** The file's prefixes, then, up to the number wanted, those with a digit put behind. */
function prefixes(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(1) : []
  const found = new Set(lines.flatMap(line => /^\d+/.exec(line) ?? []))
  for (let seed = 10_000; found.size < Math.min(RATES, 100_000); seed++) found.add(String(seed))
  for (const prefix of found) {
    if (found.size >= RATES) break
    found.add(`${prefix}${prefix.length % 10}`)
  }
  return [...found].slice(0, RATES)
}

function rateOf(prefix: string, index: number): Rate {
  return {
    id: index + 1,
    prefix,
    pricePerMinute: (Number(prefix) % 9973) + 1,
    increment: [1, 6, 30, 60][index % 4] ?? 60,
    active: true,
  }
}

function callTo(prefix: string, n: number): Call {
  const number = `${['+', '00', ''][n % 3]}${prefix}${String(n).padStart(7, '3')}`.slice(0, 17)
  return { number, seconds: 1 + ((n * 31) % 600) }
}

/** The common way: every beginning of the number looked up in a Map, from the longest. */
function mapDeck(all: readonly Rate[]): Deck['match'] {
  const byPrefix = new Map(all.map(rate => [plain.prefix(rate.prefix), rate]))
  const longest = all.reduce((length, rate) => Math.max(length, rate.prefix.length), 0)
  return ({ digits }) => {
    for (let length = Math.min(longest, digits.length); length > 0; length--) {
      const rate = byPrefix.get(digits.slice(0, length))
      if (rate) return rate
    }
    return null
  }
}

/** The median of some rounds, in milliseconds. */
function milliseconds(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return times.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0
}

function total(all: readonly Call[], { read }: Dialling, match: (number: ReadNumber) => Rate | null): number {
  let sum = 0
  for (const { number, seconds } of all) {
    const rate = match(read(number))
    if (rate) sum += charge({ seconds, pricePerMinute: rate.pricePerMinute, increment: rate.increment })?.cost ?? 0
  }
  return sum
}

const perSecond = (time: number): string => `${Math.round(CALLS / time / 10) * 10_000}/s`

/**
 * What a tenant dials in a country: of three calls one within it, as it is dialled there, one abroad by the country's
 * prefix, and one abroad in E.164.
 */
function callsFrom(country: string, abroad: string): Call[] {
  const plan = planOf(country)
  if (!plan) throw new Error(`No plan of ${country} is known.`)
  const own = rates.filter(({ prefix }) => prefix.startsWith(plan.callingCode))
  return calls.map(({ number, seconds }, n) => {
    const digits = plain.read(number).digits
    const beginning = own[(n * 7919) % own.length]?.prefix.slice(plan.callingCode.length) ?? ''
    const within = `${country === 'US' ? '' : plan.trunk}${beginning}${String(n).padStart(10, '3')}`.slice(0, 10)
    return { number: [within, abroad + digits, `+${digits}`][n % 3] ?? '', seconds }
  })
}

const deck = buildDeck(rates)
const match = mapDeck(rates)
if (total(calls, plain, deck.match) !== total(calls, plain, match)) throw new Error('the deck and the Map disagree')

const build = milliseconds(() => buildDeck(rates))
const buildMap = milliseconds(() => mapDeck(rates))
const rating = milliseconds(() => total(calls, plain, deck.match))
const ratingByMap = milliseconds(() => total(calls, plain, match))
const reading = (all: readonly Call[], { read }: Dialling): number =>
  milliseconds(() => all.reduce((length, { number }) => length + read(number).digits.length, 0))

console.log(`rates: ${deck.size}, calls: ${CALLS}, median of ${ROUNDS} rounds`)
console.log(`build: ${build.toFixed(0)} ms (Map: ${buildMap.toFixed(0)} ms)`)
console.log(`normalise, match and cost: ${perSecond(rating)} (Map: ${perSecond(ratingByMap)})`)
console.log(`ratio to the Map: ${(ratingByMap / rating).toFixed(2)}`)
console.log(`normalising alone: ${perSecond(reading(calls, plain))}`)

console.log('by the plan of a country, and the same calls without one:')
for (const [country, abroad] of Object.entries({ US: '011', DE: '00', GB: '00', BR: '0015', AR: '00' })) {
  const dialling = diallingOf({ dialling: { country, area_code: country === 'US' ? '212' : '11' } })
  const dialled = callsFrom(country, abroad)
  const byPlan = buildDeck(rates, dialling)
  const all = milliseconds(() => total(dialled, dialling, byPlan.match))
  const without = milliseconds(() => total(dialled, plain, deck.match))
  console.log(
    `  ${country}: ${perSecond(all)}, ${perSecond(without)}; reading alone ${perSecond(reading(dialled, dialling))}, ${perSecond(reading(dialled, plain))}`,
  )
}
