import { formatAmount } from '../../amounts.ts'
import type { Calls, Rerated, RerateOptions, RerateResult } from '../../ports/calls.ts'
import type { Records } from '../../ports/records.ts'
import type { Period } from '../../rating/period.ts'
import { timeZoneOf } from '../records/time-zone.ts'

export interface ReratePorts {
  readonly records: Pick<Records, 'find'>
  readonly calls: Pick<Calls, 'rerate'>
}

/** Which calls of a tenant to rate again. */
export interface RerateRequest {
  readonly tenantId: number
  /** Returns the period of their start, given the tenant's time zone. */
  readonly period: (timeZone: string) => Period
  /** Only calls that no rate matched, or whose cost would be too large. */
  readonly unratedOnly: boolean
}

/**
 * Rates calls again, each by the rates in force when it started, and keeps the old ratings; a dry run changes nothing
 * and returns the same. Throws `not_found` if there is no such tenant, and what `period` throws.
 */
export async function rerateCalls(
  { records, calls }: ReratePorts,
  { tenantId, period, unratedOnly }: RerateRequest,
  options: RerateOptions,
): Promise<RerateResult> {
  const { from, to } = period(await timeZoneOf(records, tenantId))
  return calls.rerate({ tenantId, from, to, unratedOnly }, options)
}

/** Returns a change as JSON; amounts as text. */
export const changeShown = (change: Rerated) => ({
  id: change.id,
  destination_number: change.destination_number,
  started_at: change.started_at,
  old_cost: formatAmount(change.old.cost),
  new_cost: formatAmount(change.new.cost),
  old_bill_seconds: change.old.billSeconds,
  new_bill_seconds: change.new.billSeconds,
  old_prefix: change.old.prefix,
  new_prefix: change.new.prefix,
  old_direction: change.old.direction,
  new_direction: change.new.direction,
  edited_by_hand: change.editedByHand,
})

/** Returns the totals of the changes as JSON. */
export const rerateShown = (result: Omit<RerateResult, 'changes'>, dryRun: boolean) => ({
  dry_run: dryRun,
  examined: result.examined,
  changed: result.changed,
  old_cost: formatAmount(result.oldCost),
  new_cost: formatAmount(result.newCost),
  still_unrated: result.stillUnrated,
  edited_by_hand: result.editedByHand,
  without_deck: result.withoutDeck,
})
