import { DIALLING_KEYS, type DiallingProblem, diallingProblems } from '../dialling/settings.ts'
import { nearest } from '../nearest.ts'
import { LIMITS } from '../switching/limits/limit-settings.ts'
import { integer, json, text } from './field.ts'
import { type KeyFault, type Keys, textKey } from './references/keys.ts'
import { resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

const PREFIX = /^[+\d\s.~-]*$/

const DIALLING: Keys = Object.fromEntries(DIALLING_KEYS.map(name => [name, textKey('text', () => true)]))

function diallingFault({ key, problem, meant }: DiallingProblem): KeyFault {
  if (key === null) return { path: [], problem }
  if (meant !== undefined) return { path: [key], problem, meant: { value: meant } }
  const near = Object.hasOwn(DIALLING, key) ? null : nearest(key, DIALLING_KEYS)
  return { path: [key], problem, ...(near === null ? {} : { meant: { key: near } }) }
}

/** What rules read in a tenant's `settings`. */
const TENANT_KEYS: Keys = {
  dialling: { isText: false, keys: DIALLING, faults: value => diallingProblems(value).map(diallingFault) },
  limits: LIMITS,
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
