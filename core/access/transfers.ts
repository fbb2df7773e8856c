import { AppError, notFound } from '../errors.ts'
import type { ImportMode } from '../ports/bulk.ts'
import type { Resource } from '../resources/resource.ts'
import { reservedOf, seenBy } from './fields.ts'
import { type Operation, refusal, type Viewer } from './policy.ts'

/** What each mode does to records. */
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

/** Throws `forbidden` where the account may not import records of that kind in that way. */
export function assertMayImport(viewer: Viewer, resource: Resource, mode: ImportMode): void {
  for (const operation of OPERATIONS_OF[mode]) assertAllowed(viewer, resource, operation)
  // It would have to be told of each record what of it changes.
  const reserved = OPERATIONS_OF[mode].includes('change') ? reservedOf(viewer, resource) : null
  if (reserved !== null)
    throw new AppError('forbidden', `${reserved}; import records that do not exist yet, or change them one by one.`)
}

/** Throws `forbidden` where the account may not export records of that kind, or not their secrets. */
export function assertMayExport(viewer: Viewer, resource: Resource, withSecrets: boolean): void {
  assertAllowed(viewer, resource, 'read')
  if (withSecrets) assertAllowed(viewer, resource, 'reveal')
}

/** The fields that an export for the account leaves out. */
export function unseenFields(viewer: Viewer, resource: Resource, withSecrets: boolean): string[] {
  const { fields } = seenBy(viewer, resource)
  return Object.entries(resource.fields).flatMap(([name, { writeOnly, secretQuery }]) =>
    (fields[name]?.writeOnly && !writeOnly) || (secretQuery && !withSecrets) ? [name] : [],
  )
}

/** Throws `not_found` where something of another account's is out of sight. */
export function assertInSight(viewer: Viewer, owner: { readonly tenantId: number | null }, what: string): void {
  if (viewer.tenantId !== null && owner.tenantId !== viewer.tenantId) throw notFound(what)
}
