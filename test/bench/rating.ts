/** Prints what building a deck and rating calls by it cost; `npm run bench:rating`, which bundles it as programs are. */
import { existsSync, readFileSync } from 'node:fs'
import { planOf } from '../../core/dialling/plan.ts'
import { type Dialling, plainDialling, type ReadNumber } from '../../core/dialling/read-number.ts'
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

/** The file's prefixes, then, up to the wanted number, the same with another digit. */
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
  return { number: whole(number), seconds: 1 + ((n * 31) % 600) }
}

/** A flat string, as read from a file: a concatenated one is slower to read. */
function whole(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** The usual way: look up every prefix of the number in a Map, the longest first. */
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

/** The medians of several alternating rounds, in milliseconds of processor time. */
function milliseconds(...each: readonly (() => unknown)[]): number[] {
  const rounds = Array.from({ length: ROUNDS }, () =>
    each.map(work => {
      const before = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }),
  )
  return each.map((_, n) => rounds.map(times => times[n] ?? 0).sort((a, b) => a - b)[ROUNDS >> 1] ?? 0)
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

/** Where tenants dial from: their international prefix, and the length of national numbers. */
const COUNTRIES = {
  US: { abroad: '011', trunk: '', digits: 10 },
  DE: { abroad: '00', trunk: '0', digits: 11 },
  GB: { abroad: '00', trunk: '0', digits: 10 },
  BR: { abroad: '0015', trunk: '0', digits: 11 },
  AR: { abroad: '00', trunk: '0', digits: 10 },
} as const

/**
 * What a tenant dials in a country, and the same in E.164: of three calls one is domestic, one abroad with the
 * international prefix, and one abroad with a plus.
 */
function callsFrom(country: keyof typeof COUNTRIES): { dialled: Call[]; e164: Call[] } {
  const { abroad, trunk, digits } = COUNTRIES[country]
  const callingCode = planOf(country)?.callingCode ?? ''
  const own = rates.filter(({ prefix }) => prefix.startsWith(callingCode) && prefix.length > callingCode.length)
  const numbers = calls.map(({ number }, n) => {
    if (n % 3 > 0) return { e164: plain.read(number).digits, before: n % 3 === 1 ? abroad : '+' }
    const prefix = own[(n * 7919) % own.length]?.prefix ?? ''
    return { e164: `${prefix}${String(n).padStart(11, '3')}`.slice(0, callingCode.length + digits), before: null }
  })
  const as = (write: (of: (typeof numbers)[number]) => string): Call[] =>
    numbers.map((number, n) => ({ number: whole(write(number)), seconds: calls[n]?.seconds ?? 0 }))
  return {
    dialled: as(({ e164, before }) => (before === null ? trunk + e164.slice(callingCode.length) : before + e164)),
    e164: as(({ e164 }) => `+${e164}`),
  }
}

const deck = buildDeck(rates)
const match = mapDeck(rates)
if (total(calls, plain, deck.match) !== total(calls, plain, match)) throw new Error('the deck and the Map disagree')

const reading =
  (all: readonly Call[], { read }: Dialling) =>
  () =>
    all.reduce((length, { number }) => length + read(number).digits.length, 0)
const [build = 0, buildMap = 0] = milliseconds(
  () => buildDeck(rates),
  () => mapDeck(rates),
)
const [rating = 0, ratingByMap = 0, normalising = 0] = milliseconds(
  () => total(calls, plain, deck.match),
  () => total(calls, plain, match),
  reading(calls, plain),
)

console.log(`rates: ${deck.size}, calls: ${CALLS}, processor time, medians of ${ROUNDS} rounds`)
console.log(`build: ${build.toFixed(0)} ms (Map: ${buildMap.toFixed(0)} ms)`)
console.log(`normalise, match and cost: ${perSecond(rating)} (Map: ${perSecond(ratingByMap)})`)
console.log(`ratio to the Map: ${(ratingByMap / rating).toFixed(2)}`)
console.log(`normalising alone: ${perSecond(normalising)}`)

console.log('the same calls as they are dialled in a country, by its plan (the same in E.164, without a plan):')
for (const country of ['US', 'DE', 'GB', 'BR', 'AR'] as const) {
  const dialling = diallingOf({ dialling: { country } })
  const { dialled, e164 } = callsFrom(country)
  const byPlan = buildDeck(rates, dialling)
  // Some generated numbers are invalid in the country.
  const same = total(dialled, dialling, byPlan.match) / total(e164, plain, deck.match)
  if (Math.abs(same - 1) > 0.01) throw new Error(`the plan of ${country} reads other numbers`)
  const [planned = 0, unplanned = 0, read = 0] = milliseconds(
    () => total(dialled, dialling, byPlan.match),
    () => total(e164, plain, deck.match),
    reading(dialled, dialling),
  )
  const ratio = (unplanned / planned).toFixed(2)
  console.log(
    `  ${country}: ${perSecond(planned)} (${perSecond(unplanned)}), ratio ${ratio}; reading alone ${perSecond(read)}`,
  )
}
