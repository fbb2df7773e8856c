import { planOf } from '../../dialling/plan.ts'
import { plannedDialling } from '../../dialling/read-number.ts'
import type { SwitchDid } from '../directory.ts'
import { isFitNumber } from '../fit.ts'
import type { DidNumbers, DidOwner } from './did-index.ts'
import type { KnownTenant } from './known-tenant.ts'

/** The tenants whose numbers may be dialled. */
interface Tenants {
  /** Returns the countries of the tenants requested so far. */
  countries(): ReadonlySet<string>
  of(id: number): KnownTenant | null | Promise<KnownTenant | null>
}

/**
 * Finds the DID that a carrier calls: by E.164 with or without its plus, else as dialled in the country of its tenant.
 */
export async function dialledDid(dialled: string, numbers: DidNumbers, tenants: Tenants): Promise<DidOwner | null> {
  if (!isFitNumber(dialled)) return null
  const digits = dialled.replace(/^\+/, '')
  const exact = (await numbers.find(digits)) ?? (digits.startsWith('00') ? await numbers.find(digits.slice(2)) : null)
  if (exact || dialled.startsWith('+')) return exact
  const found = new Map<number, DidOwner>()
  for (const country of tenants.countries()) {
    const owner = await numbers.find(readIn(country, dialled))
    if (owner && (await tenants.of(owner.tenantId))?.dialling.country === country) found.set(owner.id, owner)
  }
  const [only = null, ...others] = found.values()
  return others.length === 0 ? only : null
}

function readIn(country: string, dialled: string): string {
  const plan = planOf(country)
  return plan ? plannedDialling({ plan, areaCode: '', internationalPrefix: null }).read(dialled).digits : ''
}

/** Returns whether calls to its number reach this DID: if several have one number, only one of them gets its calls. */
export const hasItsNumber = async (
  { id, number }: Pick<SwitchDid, 'id' | 'number'>,
  { dialling }: KnownTenant,
  numbers: DidNumbers,
): Promise<boolean> => (await numbers.find(dialling.read(number).digits))?.id === id
