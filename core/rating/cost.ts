const SECONDS_PER_MINUTE = 60
const HALF = SECONDS_PER_MINUTE / 2

/** The billable seconds of a call, and its cost in units of 0.0001. */
export interface Charge {
  readonly billSeconds: number
  readonly cost: number
}

export interface Chargeable {
  /** Answered seconds, a whole number. */
  readonly seconds: number
  /** Units of 0.0001 a minute: 0.0123 is 123. */
  readonly pricePerMinute: number
  /** Seconds to round the answered ones up to a multiple of; at least 1. */
  readonly increment: number
}

/**
 * Rounds the seconds up to the increment, and `billSeconds × pricePerMinute / 60` half up, once. Exact at any size;
 * returns null if a result exceeds Number.MAX_SAFE_INTEGER, the most that an amount can hold.
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
  // Up to here the quotient is below 2^48, where doubles are less than 2/60 apart, so floor never meets one rounded up.
  if (product <= Number.MAX_SAFE_INTEGER - HALF) return Math.floor((product + HALF) / SECONDS_PER_MINUTE)
  return Number((BigInt(seconds) * BigInt(price) + BigInt(HALF)) / BigInt(SECONDS_PER_MINUTE))
}
