import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideRegistration } from '../../../core/switching/decide-registration.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { directory, extension } from '../../support/switching/directory.ts'

const DOMAIN = 'acme.example.com'

interface Given {
  readonly domain?: string
  readonly user?: string
  readonly toUser?: string
  readonly toHost?: string
}

function registered(given: TenantDirectory | null, { domain = DOMAIN, user = '101', toUser, toHost }: Given = {}) {
  return decideRegistration(given, { domain, user, to: { user: toUser ?? user, host: toHost ?? domain } }).refusal
}

test('an active extension of an active tenant registers in its own name', () => {
  assert.equal(registered(directory()), null)
  const asCaller = decideRegistration(directory(), { domain: DOMAIN, user: '101', to: null })
  assert.ok(asCaller.refusal === null && asCaller.extension.number === '101' && asCaller.tenant.slug === 'acme')
})

const only = (given: Parameters<typeof extension>[1]) => directory({ extensions: [extension('101', given)] })

const REFUSED = {
  'of a domain that no tenant has': ['unknown tenant', registered(null)],
  'of a domain in other case': ['wrong domain', registered(directory(), { domain: 'ACME.example.com' })],
  'in the name of another extension': ['not its own number', registered(directory(), { toUser: '102' })],
  "in the name of another tenant's extension": ['not its own number', registered(directory(), { toHost: 'beta.test' })],
  'of a suspended tenant': ['tenant not active', registered(directory({ tenant: { status: 'suspended' } }))],
  'of a tenant whose slug no switch can use': ['unfit tenant', registered(directory({ tenant: { slug: 'a b' } }))],
  'of no extension': ['unknown extension', registered(directory(), { user: '999' })],
  'of an extension with an unknown status': ['extension not active', registered(only({ status: 'Active' }))],
  'without a secret': ['no secret', registered(only({ secret: '' }))],
  'with a secret of blanks': ['no secret', registered(only({ secret: '  ' }))],
  'of an extension that no telephone can dial': [
    'unfit number',
    registered(directory({ extensions: [extension('front desk')] }), { user: 'front desk' }),
  ],
} as const

for (const [what, [refusal, found]] of Object.entries(REFUSED))
  test(`a registration ${what} is refused: ${refusal}`, () => assert.equal(found, refusal))
