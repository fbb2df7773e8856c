import { computed, signal } from '@preact/signals'
import { reservedFields, seenBy } from '../../../core/access/fields.ts'
import { type AREAS, type Operation, type Viewer, viewerOf } from '../../../core/access/policy.ts'
import { ROLES } from '../../../core/ports/accounts.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import type { Standing } from '../../../core/use-cases/accounts/access.ts'
import { onSignedOut, Refusal, request } from './api.ts'
import { objectOf } from './load.ts'

export type Me = Pick<Standing, 'name' | 'email' | 'role' | 'roles' | 'tenant' | 'permissions'>

/** undefined: not known yet; null: nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined)

/** True if the session has ended while a page is shown: a password is requested over it. */
export const isExpired = signal(false)

let waiting: (() => void)[] = []
onSignedOut(() => {
  if (!me.value) me.value = null
  else isExpired.value = true
  return new Promise(resolve => waiting.push(resolve))
})

async function welcome(): Promise<void> {
  const { data } = await request('GET', '/api/console/me', { isSigningIn: true })
  me.value = standingIn(data)
  isExpired.value = false
  for (const go of waiting) go()
  waiting = []
}

function standingIn(data: unknown): Me {
  const { name, email, role, roles, tenant, permissions } = objectOf(data)
  const { id, name: called, slug, timezone } = objectOf(tenant)
  return {
    name: String(name),
    email: String(email),
    role: ROLES.find(each => each === role) ?? 'supervisor',
    roles: roles === 'enforced' ? roles : 'off',
    tenant:
      typeof id === 'number' ? { id, name: String(called), slug: String(slug), timezone: String(timezone) } : null,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  }
}

/**
 * True if the account may do this to records of a resource, or in an area of the service. The console offers nothing
 * else.
 */
export const may = (operation: Operation, on: Pick<Resource, 'name'> | keyof typeof AREAS): boolean =>
  me.value?.permissions.includes(`${operation}:${typeof on === 'string' ? on : on.name}`) ?? false

const viewer = computed((): Viewer | null =>
  me.value ? viewerOf({ role: me.value.role, tenantId: me.value.tenant?.id ?? null }, me.value.roles) : null,
)

/** Returns a resource as the account sees it. */
export const seen = (resource: Resource): Resource => (viewer.value ? seenBy(viewer.value, resource) : resource)

/** Returns the fields that the account may not change, though it may change others. */
export const reserved = (resource: Resource): readonly string[] =>
  viewer.value ? reservedFields(viewer.value, resource) : []

/** Finds out who is signed in. */
export async function resume(): Promise<void> {
  try {
    await welcome()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
    me.value = null
  }
}

/** Throws Refusal. */
export async function signIn(email: string, password: string): Promise<void> {
  await request('POST', '/api/admin/login', { json: { email, password }, isSigningIn: true })
  await welcome()
}

export async function signOut(): Promise<void> {
  await request('POST', '/api/admin/logout', { isSigningIn: true })
  sessionStorage.clear()
  location.assign('/')
}
