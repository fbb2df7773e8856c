import type { Account, Role } from '../ports/accounts.ts'
import { resources } from '../resources/all.ts'
import { tenantSide } from '../resources/references/within.ts'
import { lowered, type Resource } from '../resources/resource.ts'
import { smsGateways } from '../resources/sms-gateways.ts'
import { smsMessages } from '../resources/sms-messages.ts'
import { tenants } from '../resources/tenants.ts'
import type { RoleMode } from './modes.ts'

/** Who may do what, as far as that can be decided before a record is read. */

/** reveal: show secrets that are otherwise left out. */
export const OPERATIONS = ['read', 'create', 'change', 'delete', 'send', 'reveal'] as const
export type Operation = (typeof OPERATIONS)[number]

interface Area {
  readonly label: string
  readonly isManaged: boolean
  readonly isConfined?: true
}

/** What can be administered besides records, and whether a manager may change it. */
export const AREAS = {
  accounts: { label: 'accounts', isManaged: false },
  sessions: { label: 'sessions', isManaged: false },
  settings: { label: 'settings', isManaged: false },
  database: { label: 'the database', isManaged: false },
  audit: { label: 'the audit trail', isManaged: false },
  decks: { label: 'decks', isManaged: true },
  /** An account of one tenant has its own. */
  jobs: { label: 'imports and exports', isManaged: true, isConfined: true },
  quarantine: { label: 'the quarantine', isManaged: true },
  sms_routes: { label: 'SMS routes', isManaged: true },
  switching: { label: 'telephones and calls', isManaged: true },
} as const satisfies Record<string, Area>

/** What an operation requires of the account. */
export interface Need {
  readonly operation: Operation
  /** The name of a resource or of one of `AREAS`. */
  readonly on: string
  /**
   * True if the operation touches only records that the account may see; otherwise it needs an account of all tenants.
   */
  readonly isConfined: boolean
}

/** An account as the rules see it. */
export interface Viewer {
  readonly role: Role
  /** The tenant whose records the account is limited to; null for all. */
  readonly tenantId: number | null
}

export const viewerOf = ({ role, tenantId }: Pick<Account, 'role' | 'tenantId'>, mode: RoleMode): Viewer => ({
  role: mode === 'enforced' ? role : 'admin',
  tenantId,
})

/** The viewer without limits. */
export const EVERYTHING: Viewer = { role: 'admin', tenantId: null }

export const isUnlimited = ({ role, tenantId }: Viewer): boolean => role === 'admin' && tenantId === null

const byName = new Map(resources.map(resource => [resource.name, resource]))

/** True for resources whose records belong to no tenant and are used by all. */
export const isShared = ({ name }: Pick<Resource, 'name'>): boolean => name === smsGateways.name

/** Returns why the account may not do something, or null if it may. A null `need` means that none was declared. */
export function refusal(viewer: Viewer, need: Need | null): string | null {
  if (isUnlimited(viewer)) return null
  if (need === null) return 'Only an admin of all tenants may do this.'
  const verb = need.operation === 'reveal' ? 'see secrets of' : need.operation
  const what = `may not ${verb} ${labelOf(need.on)}.`
  if (!isOfRole(viewer.role, need)) return `The role ${viewer.role} ${what}`
  return viewer.tenantId === null || isWithinTenant(need) ? null : `An account of one tenant ${what}`
}

function isOfRole(role: Role, { operation, on }: Need): boolean {
  if (role === 'admin' || operation === 'read' || operation === 'send') return true
  if (role === 'supervisor') return false
  if (on === tenants.name) return operation !== 'delete'
  return byName.has(on) || areaNamed(on)?.isManaged === true
}

function isWithinTenant({ operation, on, isConfined }: Need): boolean {
  const resource = byName.get(on)
  if (!isConfined) return false
  if (!resource) return areaNamed(on)?.isConfined === true
  if (resource.name === tenants.name) return operation === 'read' || operation === 'change'
  return isShared(resource) ? operation === 'read' : tenantSide(resource) !== undefined
}

const areaNamed = (name: string): Area | undefined => Object.entries(AREAS).find(([area]) => area === name)?.[1]

const labelOf = (on: string): string => {
  const resource = byName.get(on)
  return resource ? lowered(resource.plural) : (areaNamed(on)?.label ?? on)
}

const holdsSecrets = ({ fields }: Resource): boolean =>
  Object.values(fields).some(({ secret, writeOnly }) => secret && !writeOnly)

/** Every combination of operation and subject. */
const NEEDS: readonly Need[] = [
  ...resources.flatMap(resource => {
    const operations: readonly Operation[] = ['read', 'create', 'change', 'delete']
    const more = [
      ...(holdsSecrets(resource) ? ['reveal' as const] : []),
      ...(resource === smsMessages ? ['send' as const] : []),
    ]
    return [...operations, ...more].map(operation => ({ operation, on: resource.name, isConfined: true }))
  }),
  ...Object.keys(AREAS).flatMap(on =>
    (['read', 'change'] as const).map(operation => ({ operation, on, isConfined: areaNamed(on)?.isConfined === true })),
  ),
]

/** Returns what the account may do, each as `operation:subject`, such as `change:extensions`. */
export const permissionsOf = (viewer: Viewer): readonly string[] =>
  NEEDS.filter(need => refusal(viewer, need) === null).map(({ operation, on }) => `${operation}:${on}`)
