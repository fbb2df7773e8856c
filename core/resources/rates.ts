import { decimal, integer, refersTo, text } from './field.ts'
import { resource } from './resource.ts'

export const rates = resource({
  name: 'rates',
  path: 'rates',
  label: 'Rate',
  fields: {
    tenant_id: refersTo('tenants', 'restrict'),
    prefix: { ...text(50, { dialled: 'name', examples: ['380'] }), sheet: 'codes' },
    destination: text(255, { examples: ['Ukraine'] }),
    cost_per_minute: { ...decimal(), sheet: 'price' },
    billing_increment: { ...integer({ min: 1, unit: 'seconds', examples: [60] }), sheet: 'interval' },
    status: text(50, { known: ['active', 'inactive'], otherwise: 'inactive' }),
  },
  search: ['prefix', 'destination', 'status'],
  key: ['tenant_id', 'prefix'],
  deckOf: 'tenant_id',
  embeds: [{ kind: 'one', name: 'tenant', from: 'tenants', via: 'tenant_id' }],
})
