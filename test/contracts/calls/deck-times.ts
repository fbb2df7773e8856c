import { ALL_ALONG } from '../../../core/rating/deck-times.ts'
import { listOf, type Shown } from '../../support/data/rows.ts'
import type { SwitchPorts } from './switch.ts'

/** Shared by the contracts of decks and of the calls they rate. */

// The clock starts at noon of 1 March 2026.
export const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000000Z`

/** Advances the clock to that moment. */
export function until({ clock }: Pick<SwitchPorts, 'clock'>, moment: string): void {
  clock.advance(Math.round((Date.parse(moment) - Date.parse(clock.now())) / 1000))
}

export const ratesOf = async ({ records }: Pick<SwitchPorts, 'records'>, tenantId: number): Promise<Shown[]> =>
  (await listOf(records, 'rates', { where: { tenant_id: tenantId } })).reverse()

/** The tenant's rates: id, prefix and price. */
export const inShort = async (ports: SwitchPorts, tenantId: number): Promise<string[]> =>
  (await ratesOf(ports, tenantId)).map(
    ({ id, prefix, cost_per_minute }) => `${id} ${prefix} ${Math.round(Number(cost_per_minute) * 10_000)}`,
  )

/** The tenant's decks: state, the day it takes effect and the number of rates. */
export const decksOf = async ({ decks }: SwitchPorts, tenantId: number): Promise<string[]> =>
  (await decks.list({ tenantId, all: true })).map(
    ({ state, effectiveAt, rates }) =>
      `${state} ${effectiveAt === ALL_ALONG ? '-' : effectiveAt.slice(0, 10)} ${rates}`,
  )
