import type { PrefixRoute } from '../prefix-routes.ts'

/** An ordered list of gateways for what a tenant sends, or for numbers that begin so, or for both. */
export interface SmsRoute extends PrefixRoute {
  readonly id: number
  /** Ids, the first tried first. */
  readonly gateways: readonly number[]
}
