const SECONDS_PER_MINUTE = 60
const HALF = SECONDS_PER_MINUTE / 2

/** What a call costs: the billable seconds, and the cost in units of 0.0001. */
export interface Charge {
  readonly billSeconds: number
  readonly cost: number
}

export interface Chargeable {
  /** Answered seconds, a whole number. */
  readonly seconds: number
  /** Units of 0.0001 a minute: 0.0123 is 123. */
  readonly pricePerMinute: number
  /** Seconds that the answered ones are rounded up to; at least 1. */
  readonly increment: number
}

/**
 * Rounds the seconds up to the increment, and `billSeconds × pricePerMinute / 60` half up, once.
 * Exact at any size; null when a result is past Number.MAX_SAFE_INTEGER, which no amount can hold.
 */
export function charge({ seconds, pricePerMinute, increment }: Chargeable): Charge | null {
  const begun = seconds % increment
  const billSeconds = begun === 0 ? seconds : seconds + (increment - begun)
  if (billSeconds > Number.MAX_SAFE_INTEGER) return null
  const cost = perMinute(billSeconds, pricePerMinute)
  return cost > Number.MAX_SAFE_INTEGER ? null : { billSeconds, cost }
}

function perMinute(seconds: number, price: number): number {
  const product = seconds * price
  // Up to here the quotient is below 2^48, where doubles stand closer than 2/60, so floor never meets a rounded-up one.
  if (product <= Number.MAX_SAFE_INTEGER - HALF) return Math.floor((product + HALF) / SECONDS_PER_MINUTE)
  return Number((BigInt(seconds) * BigInt(price) + BigInt(HALF)) / BigInt(SECONDS_PER_MINUTE))
}
