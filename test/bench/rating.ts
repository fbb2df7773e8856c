/** Prints what building a deck and rating calls by it cost; `node --import tsx test/bench/rating.ts [destinations.csv]`. */
import { existsSync, readFileSync } from 'node:fs'
import { charge } from '../../core/rating/cost.ts'
import { buildDeck, type Rate } from '../../core/rating/deck.ts'
import { dialled } from '../../core/rating/number.ts'

const RATES = 200_000
const CALLS = 500_000
const ROUNDS = 5

interface Call {
  readonly number: string
  readonly seconds: number
}

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
function mapDeck(all: readonly Rate[]): (digits: string) => Rate | null {
  const byPrefix = new Map(all.map(rate => [dialled(rate.prefix), rate]))
  const longest = all.reduce((length, rate) => Math.max(length, rate.prefix.length), 0)
  return digits => {
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

function total(match: (digits: string) => Rate | null): number {
  let sum = 0
  for (const { number, seconds } of calls) {
    const rate = match(dialled(number))
    if (rate) sum += charge({ seconds, pricePerMinute: rate.pricePerMinute, increment: rate.increment })?.cost ?? 0
  }
  return sum
}

const perSecond = (time: number): string => `${Math.round(CALLS / time / 10) * 10_000}/s`

const deck = buildDeck(rates)
const match = mapDeck(rates)
if (total(deck.match) !== total(match)) throw new Error('the deck and the Map disagree')

const build = milliseconds(() => buildDeck(rates))
const buildMap = milliseconds(() => mapDeck(rates))
const rating = milliseconds(() => total(deck.match))
const ratingByMap = milliseconds(() => total(match))
const normalising = milliseconds(() => calls.reduce((length, { number }) => length + dialled(number).length, 0))

console.log(`rates: ${deck.size}, calls: ${CALLS}, median of ${ROUNDS} rounds`)
console.log(`build: ${build.toFixed(0)} ms (Map: ${buildMap.toFixed(0)} ms)`)
console.log(`normalise, match and cost: ${perSecond(rating)} (Map: ${perSecond(ratingByMap)})`)
console.log(`ratio to the Map: ${(ratingByMap / rating).toFixed(2)}`)
console.log(`normalising alone: ${perSecond(normalising)}`)
