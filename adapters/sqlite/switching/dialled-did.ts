import { planOf } from '../../../core/dialling/plan.ts'
import { plannedDialling } from '../../../core/dialling/read-number.ts'
import { isFitNumber } from '../../../core/switching/fit.ts'
import type { DidNumbers, DidOwner } from '../../../core/switching/stored/did-index.ts'
import type { KnownTenants } from './known-tenants.ts'

/**
 * Finds the DID that a carrier calls: by E.164 with or without its plus, else as dialled in the country of its tenant.
 */
export async function dialledDid(
  dialled: string,
  numbers: DidNumbers,
  tenants: KnownTenants,
): Promise<DidOwner | null> {
  if (!isFitNumber(dialled)) return null
  const digits = dialled.replace(/^\+/, '')
  const exact = (await numbers.find(digits)) ?? (digits.startsWith('00') ? await numbers.find(digits.slice(2)) : null)
  if (exact || dialled.startsWith('+')) return exact
  const found = new Map<number, DidOwner>()
  for (const country of tenants.countries()) {
    const owner = await numbers.find(readIn(country, dialled))
    if (owner && tenants.of(owner.tenantId)?.dialling.country === country) found.set(owner.id, owner)
  }
  const [only = null, ...others] = found.values()
  return others.length === 0 ? only : null
}

function readIn(country: string, dialled: string): string {
  const plan = planOf(country)
  return plan ? plannedDialling({ plan, areaCode: '', internationalPrefix: null }).read(dialled).digits : ''
}
