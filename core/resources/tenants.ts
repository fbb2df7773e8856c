import { integer, json, text } from './field.ts'
import { type Keys, textKey } from './keys.ts'
import { resource } from './resource.ts'
import { rules } from './text-rules.ts'

const PREFIX = /^[+\d\s.~-]*$/

/** What rules read in a tenant's `settings`. */
export const TENANT_KEYS: Keys = {
  international_prefix: textKey('the digits dialled before a country code, as text such as "011"', text =>
    PREFIX.test(text),
  ),
}

export const tenants = resource({
  name: 'tenants',
  path: 'tenants',
  label: 'Tenant',
  fields: {
    name: text(255, { examples: ['Acme Ltd'] }),
    slug: text(255, { examples: ['acme'] }),
    domain: text(255, { examples: ['acme.example.com'] }),
    status: text(50, { known: ['active', 'suspended'] }),
    timezone: text(100, { rule: rules.timeZone, examples: ['Europe/Kyiv'] }),
    max_extensions: integer({ min: 1, examples: [100] }),
    settings: json(TENANT_KEYS),
  },
  search: ['name', 'slug', 'domain'],
  unique: [['slug'], ['domain']],
  key: ['slug'],
  brief: ['name', 'slug', 'status', 'max_extensions'],
  embeds: [
    { kind: 'count', name: 'extensions_count', of: 'extensions', by: 'tenant_id', in: 'list' },
    { kind: 'count', name: 'dids_count', of: 'dids', by: 'tenant_id', in: 'list' },
    { kind: 'count', name: 'queues_count', of: 'queues', by: 'tenant_id', in: 'list' },
    { kind: 'many', name: 'extensions', from: 'extensions', by: 'tenant_id', in: 'single' },
    { kind: 'many', name: 'dids', from: 'dids', by: 'tenant_id', in: 'single' },
    { kind: 'many', name: 'queues', from: 'queues', by: 'tenant_id', in: 'single' },
    { kind: 'many', name: 'rates', from: 'rates', by: 'tenant_id', in: 'single' },
  ],
})
