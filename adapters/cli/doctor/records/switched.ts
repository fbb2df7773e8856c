import type { ReadNumber } from '../../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../../core/dialling/settings.ts'
import { dids } from '../../../../core/resources/dids.ts'
import { extensions } from '../../../../core/resources/extensions.ts'
import { queues } from '../../../../core/resources/queues.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { isFitDomain, isFitE164, isFitName, isFitNumber } from '../../../../core/switching/fit.ts'
import { limitsOf } from '../../../../core/switching/limits/limit-settings.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { labelOf, spelling } from '../../naming/references.ts'
import { commandOf } from '../../naming/resource-names.ts'
import { AT_MOST, type Check, type Finding, recordsOf } from '../check.ts'

/** Finds records that a switch cannot use as intended. Without a switch in the settings, nothing is wrong with them. */
export const switched: Check = {
  about: 'what the switch cannot use',
  async *examine(patient) {
    if ((await patient.switches()).length === 0) return
    const services = await patient.open()
    yield* atMost(ofTenants(services))
    const read = await reader(services)
    yield* atMost(unfitNumbers(services, extensions, 'extension_number', read))
    yield* atMost(withoutSecret(services))
    yield* atMost(unfitNumbers(services, queues, 'queue_number', read))
    yield* atMost(ofDids(services, read))
  },
}

/** Yields the first findings, and how many more there are. */
async function* atMost(found: AsyncIterable<Finding>): AsyncIterable<Finding> {
  let last: Finding | null = null
  let count = 0
  for await (const each of found) {
    if (++count <= AT_MOST) yield each
    last = each
  }
  if (last && count > AT_MOST)
    yield { ...last, finding: `${count - AT_MOST} more of this kind, the last: ${last.finding}` }
}

const show = async ({ records }: Services, resource: Resource, id: number): Promise<string> =>
  `trunkline ${commandOf(resource)} show ${quoted(await spelling(records, resource, id))}`

const named = async ({ records }: Services, resource: Resource, id: number): Promise<string> =>
  `${labelOf(resource)} ${await spelling(records, resource, id)}`

async function* ofTenants(services: Services): AsyncIterable<Finding> {
  for await (const row of recordsOf(services, tenants)) {
    const [id, slug, domain] = [Number(row['id']), String(row['slug']), String(row['domain'])]
    const who = await named(services, tenants, id)
    const key = quoted(await spelling(services.records, tenants, id))
    if (!isFitName(slug))
      yield {
        kind: 'slug_unfit',
        finding: `${who} cannot be on a switch: its slug may hold only letters, digits, _ . and -`,
        fix: `trunkline tenant update ${key} --slug ${slugFrom(slug, id)}`,
      }
    if (!isFitDomain(domain))
      yield {
        kind: 'domain_unfit',
        finding: `a switch cannot use the domain ${domain} of ${who}`,
        fix: await show(services, tenants, id),
      }
    else if (domain !== domain.toLowerCase())
      yield {
        kind: 'domain_case',
        finding: `the domain ${domain} of ${who} has capitals: telephones must use exactly these, and many send lower case`,
        fix: `trunkline tenant update ${key} --domain ${domain.toLowerCase()}`,
      }
    yield* limitsUnread(services, id, row['settings'])
  }
}

const slugFrom = (slug: string, id: number): string =>
  slug
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 63) || `tenant-${id}`

async function* limitsUnread(services: Services, id: number, settings: unknown): AsyncIterable<Finding> {
  const { tenant, extension, extensions: own } = limitsOf(settings, diallingOf(settings))
  const unreadable = new Set([tenant, extension, ...own.values()].flatMap(each => each.unreadable))
  if (unreadable.size > 0)
    yield {
      kind: 'limit_unreadable',
      finding: `${[...unreadable].join(', ')} of ${await named(services, tenants, id)} cannot be read, so outgoing calls are refused`,
      fix: `${await show(services, tenants, id)} --fields settings`,
    }
}

/**
 * What people dial in an emergency wherever they come from. Many plans have further numbers, such as 101 in Ukraine, that
 * a tenant may well want for a telephone.
 */
const EMERGENCY = ['112', '911', '999']

/** Finds numbers that cannot be dialled, and those that keep calls from the emergency services: internal ones go first. */
async function* unfitNumbers(
  services: Services,
  resource: Resource,
  field: string,
  read: Reader,
): AsyncIterable<Finding> {
  for await (const row of recordsOf(services, resource)) {
    const [id, number] = [Number(row['id']), String(row[field])]
    if (!isFitNumber(number))
      yield {
        kind: 'number_unfit',
        finding: `${await named(services, resource, id)} has a number that cannot be dialled: use only digits, * and #`,
        fix: await show(services, resource, id),
      }
    else if (EMERGENCY.includes(number) && read(Number(row['tenant_id']), number)?.kind === 'emergency')
      yield {
        kind: 'hides_emergency',
        finding: `${await named(services, resource, id)} gets the calls of its tenant to the emergency services`,
        fix: await show(services, resource, id),
      }
  }
}

async function* withoutSecret(services: Services): AsyncIterable<Finding> {
  for await (const row of recordsOf(services, extensions)) {
    if (String(row['secret']).trim() !== '') continue
    const name = await spelling(services.records, extensions, Number(row['id']))
    yield {
      kind: 'no_secret',
      finding: `extension ${name} has no secret, so that its telephones cannot register`,
      fix: `trunkline extension update ${quoted(name)} --generate-secret`,
    }
  }
}

interface Owned {
  readonly id: number
  readonly tenantId: number
}

/**
 * Finds DIDs that are no phone numbers, and numbers that two tenants have; calls go to the DID with the smallest id.
 */
async function* ofDids(services: Services, read: Reader): AsyncIterable<Finding> {
  const first = new Map<string, Owned>()
  const others: (Owned & { readonly digits: string })[] = []
  for await (const row of recordsOf(services, dids)) {
    const [id, tenantId, number] = [Number(row['id']), Number(row['tenant_id']), String(row['number'])]
    const digits = read(tenantId, number)?.digits ?? ''
    if (!isFitE164(digits))
      yield {
        kind: 'number_unfit',
        finding: `${await named(services, dids, id)} is not a telephone number`,
        fix: await show(services, dids, id),
      }
    // Newest first, so the one stored here is later.
    const later = first.get(digits)
    if (later && later.tenantId !== tenantId) others.push({ ...later, digits })
    first.set(digits, { id, tenantId })
  }
  for (const { id, tenantId, digits } of others) {
    const owner = first.get(digits)
    const loser = await spelling(services.records, tenants, tenantId)
    const winner = await spelling(services.records, tenants, owner?.tenantId ?? tenantId)
    yield {
      kind: 'did_of_two_tenants',
      finding: `${await named(services, dids, id)} of tenant ${loser} is one of tenant ${winner} as well, which gets its calls`,
      fix: `trunkline did show id:${id}`,
    }
  }
}

/** Reads a number as its tenant dials it. */
type Reader = (tenantId: number, number: string) => ReadNumber | undefined

async function reader(services: Services): Promise<Reader> {
  const diallings = new Map<number, ReturnType<typeof diallingOf>>()
  for await (const { id, settings } of recordsOf(services, tenants)) diallings.set(Number(id), diallingOf(settings))
  return (tenantId, number) => diallings.get(tenantId)?.read(number)
}
