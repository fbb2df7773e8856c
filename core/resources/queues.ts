import { integer, refersTo, text } from './field.ts'
import { resource } from './resource.ts'

export const queues = resource({
  name: 'queues',
  path: 'queues',
  label: 'Queue',
  fields: {
    tenant_id: refersTo('tenants', 'restrict'),
    name: text(255, { examples: ['Support'] }),
    queue_number: text(20, { dialled: 'name', examples: ['800'] }),
    strategy: text(100, { examples: ['roundrobin', 'leastrecent', 'ringall'] }),
    timeout: integer({ min: 1, unit: 'seconds', examples: [60] }),
    status: text(50, { known: ['active', 'inactive'] }),
  },
  search: ['name', 'queue_number', 'strategy'],
  key: ['tenant_id', 'queue_number'],
  embeds: [
    { kind: 'one', name: 'tenant', from: 'tenants', via: 'tenant_id' },
    { kind: 'many', name: 'agents', from: 'agents', by: 'queue_id', in: 'views' },
  ],
})
