import type { Field } from '../../../core/resources/field.ts'
import type { Resource } from '../../../core/resources/resource.ts'

type Body = Record<string, unknown>

/** Values for fields whose rule rejects generated text, by field name. */
const SAMPLES: Readonly<Record<string, (n: number) => unknown>> = {
  timezone: () => 'Europe/Kyiv',
  email: n => `person${n}@example.com`,
  direction: () => 'outbound',
  server_host: n => `sms${n}.example.com`,
  server_port: () => 8080,
  to_number: () => '+380501234567',
  mac: n => `00:15:65:00:${String(Math.floor(n / 100)).padStart(2, '0')}:${String(n % 100).padStart(2, '0')}`,
  transport: () => 'tls',
  number_form: () => 'national',
  target_type: () => 'extension',
}

const BY_KIND: Readonly<Record<Field['kind'], (name: string, n: number) => unknown>> = {
  text: (name, n) => `${name.slice(0, 3)}-${n}`,
  integer: (_, n) => 1000 + n,
  decimal: (_, n) => Number(`0.0${(n % 90) + 10}`),
  boolean: (_, n) => n % 2 === 0,
  date: (_, n) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  json: (_, n) => ({ n, nested: { list: [1, 'two', null] } }),
}

let count = 0

/** A valid body for the resource, each different. `references` are the ids to point to, by field. */
export function sampleBody(resource: Resource, references: Readonly<Record<string, number>> = {}): Body {
  const n = ++count
  return Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => {
      if (field.references) return [name, references[name] ?? null]
      return [name, SAMPLES[name]?.(n) ?? BY_KIND[field.kind](name, n)]
    }),
  )
}

/** A body as it appears in a response: amounts as text, moments in UTC with microseconds, no write-only members. */
export function shownAs(resource: Resource, body: Readonly<Body>): Body {
  return Object.fromEntries(
    Object.entries(resource.fields).flatMap(([name, field]) => {
      const given = body[name]
      if (field.writeOnly) return []
      if (field.kind === 'decimal') return [[name, Number(given).toFixed(4)]]
      if (field.kind === 'date') return [[name, String(given).replace(/\.(\d{3})Z$/, '.$1000Z')]]
      return [[name, given]]
    }),
  )
}
