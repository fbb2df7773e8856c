import { boolean, integer, refersTo, text } from './field.ts'
import { resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

export const extensions = resource({
  name: 'extensions',
  path: 'extensions',
  label: 'Extension',
  fields: {
    tenant_id: refersTo('tenants', 'restrict'),
    extension_number: text(20, { dialled: 'name', examples: ['101'] }),
    display_name: text(255, { examples: ['Front desk'] }),
    email: text(255, { optional: true, rule: rules.email, examples: ['desk@acme.example.com'] }),
    secret: text(255, { untrimmed: true, secret: true, generated: true, examples: ['kW3-9fQm-Zt81'] }),
    status: text(50, { known: ['active', 'disabled'] }),
    voicemail_enabled: boolean(),
  },
  search: ['extension_number', 'display_name', 'email'],
  unique: [['tenant_id', 'extension_number']],
  key: ['tenant_id', 'extension_number'],
  limit: { by: 'tenant_id', parent: 'tenants', max: 'max_extensions' },
  embeds: [
    { kind: 'one', name: 'tenant', from: 'tenants', via: 'tenant_id' },
    { kind: 'many', name: 'devices', from: 'devices', by: 'extension_id', in: 'views', only: ['id', 'mac', 'model'] },
    { kind: 'many', name: 'queueAgents', from: 'agents', by: 'extension_id', in: 'single' },
    { kind: 'many', name: 'cdrs', from: 'cdrs', by: 'extension_id', in: 'single' },
  ],
})

/** A phone registered to an extension: managed from the command line, embedded in responses. */
export const devices = resource({
  name: 'devices',
  label: 'Device',
  timestamps: false,
  fields: {
    extension_id: refersTo('extensions', 'cascade'),
    mac: text(17, { rule: rules.mac, examples: ['00:15:65:a1:b2:c3'] }),
    model: text(100, { examples: ['Yealink T46U'] }),
  },
  search: ['mac', 'model'],
  unique: [['mac']],
  key: ['mac'],
  embeds: [
    {
      kind: 'one',
      name: 'extension',
      from: 'extensions',
      via: 'extension_id',
      only: ['id', 'extension_number', 'display_name'],
    },
  ],
})

/** An extension that takes calls of a queue. */
export const agents = resource({
  name: 'agents',
  label: 'Agent',
  timestamps: false,
  fields: {
    queue_id: refersTo('queues', 'cascade'),
    extension_id: refersTo('extensions', 'cascade'),
    penalty: integer({ min: 0, fallback: 0 }),
  },
  unique: [['queue_id', 'extension_id']],
  key: ['queue_id', 'extension_id'],
  within: { field: 'tenant_id', isRule: true },
  embeds: [
    { kind: 'one', name: 'queue', from: 'queues', via: 'queue_id', only: ['id', 'name', 'queue_number'] },
    {
      kind: 'one',
      name: 'extension',
      from: 'extensions',
      via: 'extension_id',
      only: ['id', 'extension_number', 'display_name'],
    },
  ],
})
