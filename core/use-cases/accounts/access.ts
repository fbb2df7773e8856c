import { confinedRecords } from '../../access/confined-records.ts'
import { seenBy } from '../../access/fields.ts'
import type { RoleMode } from '../../access/modes.ts'
import { isUnlimited, permissionsOf, type Viewer, viewerOf } from '../../access/policy.ts'
import type { Account, Role } from '../../ports/accounts.ts'
import type { Messages } from '../../ports/messaging/messages.ts'
import type { Records, ServedRecords } from '../../ports/records.ts'
import { smsMessages } from '../../resources/sms-messages.ts'
import { tenants } from '../../resources/tenants.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Administration } from '../records/administer.ts'
import type { Browsing } from '../records/browsing.ts'
import type { Overview } from '../records/overview.ts'

/** The ports behind the use cases of one account. */
export interface ServedPorts {
  readonly records: ServedRecords
  readonly messages: Messages
  /** The tenant that the account is limited to. */
  readonly tenantId?: number
}

/** The use cases of one account. */
export interface UseCases {
  readonly administration: Administration
  readonly browsing: Browsing
  readonly messaging: Messaging
  readonly overview: Overview
}

/** Who an account is and what it may do. */
export interface Standing {
  readonly name: string
  readonly email: string
  readonly role: Role
  /** Whether roles are enforced. */
  readonly roles: RoleMode
  /** The tenant that the account is limited to; null for all. */
  readonly tenant: {
    readonly id: number
    readonly name: string
    readonly slug: string
    readonly timezone: string
  } | null
  /** `operation:subject`, such as `change:extensions`. */
  readonly permissions: readonly string[]
}

/** Decides who may do what, and provides the use cases for it. */
export interface Access {
  viewerOf(account: Account): Viewer
  standing(account: Account): Promise<Standing>
  /** Returns the use cases as the account may use them, and the records that it may see. */
  useCases(viewer: Viewer): UseCases & Pick<ServedPorts, 'records'>
}

/** The number of accounts whose use cases are cached. */
const KEPT = 200

export function access(
  ports: { readonly records: Records; readonly messages: Messages },
  mode: RoleMode,
  make: (served: ServedPorts) => UseCases,
): Access {
  const over = (served: ServedPorts) => ({ ...make(served), records: served.records })
  const whole = over(ports)
  const limited = new Map<string, typeof whole>()
  return {
    viewerOf: account => viewerOf(account, mode),
    standing: async account => {
      const { name, email, role, tenantId } = account
      const tenant = tenantId === null ? null : await ports.records.find(tenants, tenantId)
      return {
        name,
        email,
        role,
        roles: mode,
        tenant:
          tenantId === null
            ? null
            : {
                id: tenantId,
                name: text(tenant?.['name']),
                slug: text(tenant?.['slug']),
                timezone: text(tenant?.['timezone']),
              },
        permissions: permissionsOf(viewerOf(account, mode)),
      }
    },
    useCases: viewer => {
      if (isUnlimited(viewer)) return whole
      const key = `${viewer.role} ${viewer.tenantId}`
      const made = limited.get(key) ?? over(served(ports, viewer))
      if (limited.size >= KEPT) limited.clear()
      limited.set(key, made)
      return made
    },
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function served(
  { records, messages }: { readonly records: Records; readonly messages: Messages },
  viewer: Viewer,
): ServedPorts {
  return {
    records: confinedRecords(records, viewer),
    messages: {
      ...messages,
      settle: async (id, change, receive) => {
        await messages.settle(id, change, receive)
        return (await records.show(seenBy(viewer, smsMessages), id)) ?? '{}'
      },
    },
    ...(viewer.tenantId === null ? {} : { tenantId: viewer.tenantId }),
  }
}
