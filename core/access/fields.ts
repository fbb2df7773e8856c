import { AppError } from '../errors.ts'
import { isJsonObject, parseJson } from '../json.ts'
import { resourceNamed } from '../resources/all.ts'
import type { Field, Value } from '../resources/field.ts'
import { type Embed, fieldLabel, type Resource, type Row, timestamped } from '../resources/resource.ts'
import { smsGateways } from '../resources/sms-gateways.ts'
import { tenants } from '../resources/tenants.ts'
import { trunks } from '../resources/trunks.ts'
import { isShared, type Viewer } from './policy.ts'

/** Which fields of a record an account may see, and which it may change. */

/** The fields of shared records that an account of one tenant sees: enough to send a message. */
const SEEN_OF_SHARED: readonly string[] = ['name', 'provider_type', 'default_sender_id', 'is_active']

/** How much of a record an account sees. */
type Sight = 'no secrets' | 'one tenant' | 'one tenant, no secrets' | 'all'

function sightOf({ role, tenantId }: Viewer): Sight {
  if (role === 'supervisor') return tenantId === null ? 'no secrets' : 'one tenant, no secrets'
  return tenantId === null ? 'all' : 'one tenant'
}

function isSeen(sight: Sight, resource: Resource, name: string, { secret, secretQuery, writeOnly }: Field): boolean {
  if (writeOnly) return false
  if (sight.startsWith('one tenant') && isShared(resource) && !SEEN_OF_SHARED.includes(name)) return false
  // A receipt URL's query may hold the token of a gateway that other tenants use.
  if (secretQuery) return sight === 'all'
  return !secret || !sight.endsWith('no secrets')
}

const made = new WeakMap<Resource, Map<Sight, Resource>>()

/** Returns the resource without the fields that the account may not see, in its own views and in what they embed. */
export function seenBy(viewer: Viewer, resource: Resource): Resource {
  const sight = sightOf(viewer)
  if (sight === 'all') return resource
  const bySight = made.get(resource) ?? new Map<Sight, Resource>()
  made.set(resource, bySight)
  const seen = bySight.get(sight) ?? asSeen(sight, resource)
  bySight.set(sight, seen)
  return seen
}

function asSeen(sight: Sight, resource: Resource): Resource {
  const fields = Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]): [string, Field] => [
      name,
      isSeen(sight, resource, name, field) ? field : { ...field, writeOnly: true },
    ]),
  )
  return {
    ...resource,
    fields,
    search: resource.search.filter(name => !fields[name]?.writeOnly),
    embeds: resource.embeds.flatMap(embed => embedAsSeen(sight, resource, embed)),
  }
}

function embedAsSeen(sight: Sight, resource: Resource, embed: Embed): Embed[] {
  // The count of a shared record includes what belongs to other tenants.
  if (embed.kind === 'count') return sight.startsWith('one tenant') && isShared(resource) ? [] : [embed]
  const from = resourceNamed(embed.from)
  const own = Object.entries(from.fields).flatMap(([name, field]) => (isSeen(sight, from, name, field) ? [name] : []))
  const seen = ['id', ...own, ...timestamped(from)]
  return [{ ...embed, only: embed.only?.filter(name => seen.includes(name)) ?? seen }]
}

const LIMITED: readonly Viewer[] = [
  { role: 'supervisor', tenantId: null },
  { role: 'admin', tenantId: 1 },
  { role: 'supervisor', tenantId: 1 },
]

/** Returns the fields and embedded members of a resource's views that some accounts do not see. */
export function unseenBySome(resource: Resource): ReadonlySet<string> {
  const membersOf = ({ fields, embeds }: Resource): string[] => [
    ...Object.keys(fields).filter(name => !fields[name]?.writeOnly),
    ...embeds.map(({ name }) => name),
  ]
  const seen = LIMITED.map(viewer => new Set(membersOf(seenBy(viewer, resource))))
  return new Set(membersOf(resource).filter(name => seen.some(members => !members.has(name))))
}

/** The keys of a gateway's `meta` that decide where its password is sent. */
const WAY_KEYS = ['profile', 'account', 'ca_file']

interface Reservation {
  readonly resource: Resource
  readonly fields: readonly string[]
  /** Keys of the JSON field `meta`. */
  readonly keys: readonly string[]
  readonly isFor: (viewer: Viewer) => boolean
  readonly why: string
}

/** Fields that need more rights than changing the rest of the record. */
const RESERVED: readonly Reservation[] = [
  {
    resource: smsGateways,
    fields: ['server_host', 'server_port', 'use_ssl', 'api_path', 'username'],
    keys: WAY_KEYS,
    isFor: ({ role }) => role === 'admin',
    why: "Only an admin may change where a gateway's password goes",
  },
  {
    resource: trunks,
    fields: ['host', 'port', 'transport', 'username'],
    keys: [],
    isFor: ({ role }) => role === 'admin',
    why: "Only an admin may change where a trunk's secret goes",
  },
  {
    resource: tenants,
    fields: ['slug', 'domain', 'status', 'max_extensions', 'settings'],
    keys: [],
    isFor: ({ tenantId }) => tenantId === null,
    why: 'An account of one tenant may not change the limits and identity of its tenant',
  },
]

const reservationFor = (viewer: Viewer, { name }: Pick<Resource, 'name'>): Reservation | undefined =>
  RESERVED.find(({ resource, isFor }) => resource.name === name && !isFor(viewer))

/** Returns the fields of a stored record that the account may not change. */
export const reservedFields = (viewer: Viewer, resource: Pick<Resource, 'name'>): readonly string[] =>
  reservationFor(viewer, resource)?.fields ?? []

/** Returns why the account may not change some fields of such records; null if it may change all. */
export const reservedOf = (viewer: Viewer, resource: Pick<Resource, 'name'>): string | null =>
  reservationFor(viewer, resource)?.why ?? null

/** Throws `forbidden` if the change touches a field that is reserved for other accounts. */
export function assertUnreserved(viewer: Viewer, target: Pick<Resource, 'name'>, stored: Row, values: Row): void {
  const reservation = reservationFor(viewer, target)
  if (!reservation) return
  const { resource, fields, keys, why } = reservation
  const next: Row = { ...stored, ...values }
  const changed = [
    ...fields.filter(field => effective(resource, field, stored) !== effective(resource, field, next)),
    ...keys.flatMap(key => (memberOf(stored['meta'], key) === memberOf(next['meta'], key) ? [] : [`meta.${key}`])),
  ]
  if (changed.length > 0) throw new AppError('forbidden', `${why} (${changed.map(fieldLabel).join(', ')}).`)
}

/** The value that an empty field stands for. */
const effective = ({ fields }: Resource, name: string, row: Row): Value => row[name] ?? fields[name]?.fallback ?? null

function memberOf(json: Value | undefined, key: string): string {
  const object = typeof json === 'string' ? parseJson(json) : null
  return JSON.stringify(isJsonObject(object) ? (object[key] ?? null) : null)
}
