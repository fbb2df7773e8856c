import { keptWithCalls } from './call-ratings.ts'
import { date, decimal, integer, refersTo, text } from './field.ts'
import { resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

export const cdrs = resource({
  name: 'cdrs',
  path: 'cdrs',
  label: 'CDR',
  order: 'started_at',
  fields: {
    tenant_id: refersTo('tenants', 'restrict'),
    extension_id: refersTo('extensions', 'clear', { optional: true }),
    caller_number: text(50, { dialled: 'name', examples: ['101'] }),
    destination_number: text(50, { dialled: 'name', examples: ['+380441234567'] }),
    direction: text(50, { rule: rules.oneOf('inbound', 'outbound'), examples: ['outbound'] }),
    disposition: text(50, { synonym: 'status', examples: ['ANSWERED', 'NO ANSWER', 'BUSY'] }),
    duration_seconds: integer({ min: 0, examples: [61] }),
    bill_seconds: integer({ min: 0, examples: [120] }),
    cost: decimal(),
    started_at: date(),
    ended_at: date({ optional: true }),
  },
  kept: keptWithCalls,
  search: ['caller_number', 'destination_number', 'direction', 'disposition'],
  brief: ['tenant_id', 'caller_number', 'destination_number', 'disposition', 'bill_seconds', 'cost', 'started_at'],
  within: { field: 'tenant_id', isRule: false },
  embeds: [
    { kind: 'one', name: 'tenant', from: 'tenants', via: 'tenant_id', only: ['id', 'name', 'slug'] },
    {
      kind: 'one',
      name: 'extension',
      from: 'extensions',
      via: 'extension_id',
      only: ['id', 'extension_number', 'display_name'],
    },
  ],
})
