import { AppError, notFound } from '../errors.ts'
import type { ImportMode } from '../ports/bulk.ts'
import type { Resource } from '../resources/resource.ts'
import { reservedOf, seenBy } from './fields.ts'
import { type Operation, refusal, type Viewer } from './policy.ts'

/** The operations of each mode. */
const OPERATIONS_OF: Readonly<Record<ImportMode, readonly Operation[]>> = {
  insert: ['create'],
  skip: ['create'],
  upsert: ['create', 'change'],
  replace: ['create', 'change', 'delete'],
}

function assertAllowed(viewer: Viewer, { name }: Resource, operation: Operation): void {
  const reason = refusal(viewer, { operation, on: name, isConfined: true })
  if (reason !== null) throw new AppError('forbidden', reason)
}

/** Throws `forbidden` if the account may not import such records in that way. */
export function assertMayImport(viewer: Viewer, resource: Resource, mode: ImportMode): void {
  for (const operation of OPERATIONS_OF[mode]) assertAllowed(viewer, resource, operation)
  // Each record would have to be checked for what changes.
  const reserved = OPERATIONS_OF[mode].includes('change') ? reservedOf(viewer, resource) : null
  if (reserved !== null)
    throw new AppError('forbidden', `${reserved}; import records that do not exist yet, or change them one by one.`)
}

/** Throws `forbidden` if the account may not export such records, or not their secrets. */
export function assertMayExport(viewer: Viewer, resource: Resource, withSecrets: boolean): void {
  assertAllowed(viewer, resource, 'read')
  if (withSecrets) assertAllowed(viewer, resource, 'reveal')
}

/** Returns the fields that an export for the account omits. */
export function unseenFields(viewer: Viewer, resource: Resource, withSecrets: boolean): string[] {
  const { fields } = seenBy(viewer, resource)
  return Object.entries(resource.fields).flatMap(([name, { writeOnly, secretQuery }]) =>
    (fields[name]?.writeOnly && !writeOnly) || (secretQuery && !withSecrets) ? [name] : [],
  )
}

/** Throws `not_found` if the account may not see what another one owns. */
export function assertInSight(viewer: Viewer, owner: { readonly tenantId: number | null }, what: string): void {
  if (viewer.tenantId !== null && owner.tenantId !== viewer.tenantId) throw notFound(what)
}
