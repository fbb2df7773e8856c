import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { RESOURCE_COMMANDS } from '../../../../adapters/cli/naming/resource-names.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import type { Field } from '../../../../core/resources/field.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { addRate, type Desk, openDesk } from '../../../support/cli/imports.ts'
import { sampleBody } from '../../../support/data/samples.ts'

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

const rate = (prefix: string, members = {}) => addRate(desk, prefix, members)

const awkward = fc.string({
  unit: fc.constantFrom(...'aZ09,;"\'\n\r\t +=-@|é😀\u00a0\u2028'),
  minLength: 1,
  maxLength: 12,
})

/** A valid value for the field. */
function valueFor(field: Field, sample: unknown): fc.Arbitrary<unknown> {
  const optional = (values: fc.Arbitrary<unknown>) => (field.required ? values : fc.option(values))
  switch (field.kind) {
    case 'integer':
      return fc.integer({ min: 1, max: 60_000 })
    case 'decimal':
      return fc.nat({ max: 99_999_999 }).map(units => (units / 10_000).toFixed(4))
    case 'boolean':
      return fc.boolean()
    case 'date':
      return optional(fc.constantFrom('2026-01-01 10:00:00', '2024-02-29T23:59:59.999999Z', '0001-01-01'))
    case 'json':
      return optional(
        fc.dictionary(
          awkward,
          fc.oneof(awkward, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null), fc.array(awkward)),
        ),
      )
    default:
      if (field.choices || typeof field.parse('= +x') !== 'string') return optional(fc.constant(sample))
      return optional(awkward.filter(text => text.trim() !== ''))
  }
}

/** Made unique where required. */
const KEYS = new Set(['slug', 'domain', 'extension_number', 'number', 'queue_number', 'prefix', 'name'])

function bodies(resource: Resource): fc.Arbitrary<Record<string, unknown>[]> {
  const sample = sampleBody(resource)
  const members = Object.entries(resource.fields).flatMap(([name, field]) =>
    field.references ? [] : [[name, valueFor(field, sample[name])] as const],
  )
  return fc
    .array(fc.record(Object.fromEntries(members)), { minLength: 1, maxLength: 4 })
    .map(list =>
      list.map((body, i) =>
        Object.fromEntries(
          Object.entries(body).map(([name, value]) => [name, KEYS.has(name) ? `${value}${i}` : value]),
        ),
      ),
    )
}

const stored = async (from: Desk, { name, fields }: Resource): Promise<string[]> => {
  const columns = Object.entries(fields).map(([field, { references }]) =>
    references ? `${field} IS NOT NULL` : `coalesce('<' || ${field} || '>', 'null')`,
  )
  return from.query(`SELECT ${columns.join()} FROM ${name} ORDER BY id`)
}

async function roundTrip(format: string, given: ReadonlyMap<Resource, Record<string, unknown>[]>): Promise<void> {
  const [from, to] = [await openDesk(), await openDesk()]
  try {
    for (const [resource, list] of given)
      for (const [i, body] of list.entries()) {
        const references = { tenant_id: 1, extension_id: i % 2 === 0 ? 1 : null }
        const declared = Object.fromEntries(Object.entries(references).filter(([name]) => resource.fields[name]))
        await from.services.administration.create(resource, {
          ...body,
          ...(resource.name === 'tenants' ? { max_extensions: 100 } : {}),
          ...declared,
        })
      }
    await from.services.administration.replace(resourceNamed('sms_gateways'), 1, {
      ...sampleBody(resourceNamed('sms_gateways')),
      api_path: undefined,
    })
    for (const resource of given.keys()) {
      const text = await from.give(resource.name, ['--format', format])
      const { summary } = await to.take(resource.name, text, ['--format', format, '--force'])
      assert.deepEqual(summary.errors, [], text)
      assert.deepEqual(await stored(to, resource), await stored(from, resource))
      assert.equal(await to.give(resource.name, ['--format', format]), text)
    }
  } finally {
    await from.close()
    await to.close()
  }
}

describe('what is exported', () => {
  /** What joins records to others has a test of its own. */
  const joining = ['devices', 'agents', 'routes']
  const all = RESOURCE_COMMANDS.map(({ resource }) => resource)
    .filter(name => !joining.includes(name))
    .map(resourceNamed)

  for (const format of ['csv', 'ndjson', 'json'])
    it(`imports again to the same records (${format})`, () =>
      fc.assert(
        fc.asyncProperty(fc.tuple(...all.map(bodies)), lists =>
          roundTrip(format, new Map(lists.map((list, i) => [all[i] ?? resourceNamed('tenants'), list]))),
        ),
        { numRuns: 12 },
      ))

  it('keeps in ndjson what would be a list in a sheet', async () => {
    await rate('61 38,39')
    const text = await desk.give('rates', ['--format', 'ndjson'])
    const to = await openDesk()
    await to.create('tenants', { slug: 'acme' })
    await to.take('rates', text, [], 'deck.ndjson')
    assert.deepEqual(await to.query('SELECT prefix FROM rates'), ['61 38,39'])
    await to.close()
  })
})
