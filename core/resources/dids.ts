import { refersTo, text } from './field.ts'
import { resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

export const dids = resource({
  name: 'dids',
  path: 'dids',
  label: 'DID',
  fields: {
    tenant_id: refersTo('tenants', 'restrict'),
    number: text(50, { dialled: 'number', examples: ['+380441234567'] }),
    provider: text(255, { examples: ['Carrier One'] }),
    description: text(null, { optional: true, examples: ['Main number'] }),
    status: text(50, { known: ['active', 'inactive'] }),
  },
  search: ['number', 'provider', 'description'],
  key: ['number'],
  embeds: [
    { kind: 'one', name: 'tenant', from: 'tenants', via: 'tenant_id' },
    { kind: 'many', name: 'routes', from: 'routes', by: 'did_id', in: 'views' },
  ],
})

/** Where calls to a DID go, as one of its targets. */
export const routes = resource({
  name: 'routes',
  label: 'Route',
  timestamps: false,
  fields: {
    did_id: refersTo('dids', 'cascade'),
    target_type: text(20, { rule: rules.oneOf('extension', 'queue'), examples: ['extension'] }),
    target_id: refersTo({ by: 'target_type', extension: 'extensions', queue: 'queues' }, 'cascade'),
  },
  key: ['did_id', 'target_type', 'target_id'],
  unique: [['did_id', 'target_type', 'target_id']],
  within: { field: 'tenant_id', isRule: true },
  embeds: [{ kind: 'one', name: 'did', from: 'dids', via: 'did_id', only: ['id', 'number'] }],
})
