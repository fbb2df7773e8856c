import { isActive } from '../rating/deck.ts'
import { type Refused, type RegistrationDecision, refused } from './decision.ts'
import type { SwitchExtension, SwitchTenant, TenantDirectory } from './directory.ts'
import { isFitDomain, isFitName, isFitNumber } from './fit.ts'

/** What a phone registers or authenticates as. */
export interface Registration {
  /** As sent by the phone, case included. */
  readonly domain: string
  readonly user: string
  /** The address of record to register; null if the phone only authenticates to place a call. */
  readonly to: { readonly user: string; readonly host: string } | null
}

/**
 * Returns why the phone may not register, or null if it may. `directory` is that of the tenant with this domain, null
 * if there is none.
 */
export function decideRegistration(directory: TenantDirectory | null, asked: Registration): RegistrationDecision {
  const { domain, user, to } = asked
  if (!directory) return refused('unknown tenant', `no tenant has the domain ${domain}`)
  const { tenant } = directory
  if (domain !== tenant.domain)
    return refused('wrong domain', `the domain is ${domain}, and that of tenant ${tenant.slug} is ${tenant.domain}`)
  if (to && (to.user !== user || to.host !== domain))
    return refused('not its own number', `${user}@${domain} wants to register as ${to.user}@${to.host}`)
  const problem = tenantRefusal(tenant)
  if (problem) return problem
  const extension = directory.extensions.get(user)
  if (!extension) return refused('unknown extension', `tenant ${tenant.slug} has no extension ${user}`)
  return extensionRefusal(tenant, extension) ?? { refusal: null, tenant, extension }
}

/** Returns why no phone may register as the extension, of a tenant that may use the switch; null if one may. */
export function extensionRefusal(
  { slug }: Pick<SwitchTenant, 'slug'>,
  { number, status, secret }: Pick<SwitchExtension, 'number' | 'status' | 'secret'>,
): Refused | null {
  if (!isFitNumber(number))
    return refused('unfit number', `no switch can call ${number}: only digits, * and # can be dialled`)
  if (!isActive(status)) return refused('extension not active', `extension ${number} of tenant ${slug} is ${status}`)
  if (secret.trim() === '') return refused('no secret', `extension ${number} of tenant ${slug} has no secret`)
  return null
}

/** Returns why a tenant may not use a switch at all; null if it may. */
export function tenantRefusal({
  slug,
  domain,
  status,
}: Pick<SwitchTenant, 'slug' | 'domain' | 'status'>): Refused | null {
  if (!isActive(status)) return refused('tenant not active', `tenant ${slug} is ${status}`)
  if (!isFitName(slug))
    return refused('unfit tenant', `a switch cannot use the slug ${slug}: it may hold only letters, digits, _ . -`)
  if (!isFitDomain(domain)) return refused('unfit tenant', `a switch cannot use the domain ${domain} of tenant ${slug}`)
  return null
}
