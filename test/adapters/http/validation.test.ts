import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { exposedResources } from '../../../core/resources/all.ts'
import { startWorld, type World } from '../../support/data/records.ts'
import { type DocumentedField, documented } from '../../support/document.ts'

const label = (name: string): string => name.replaceAll('_', ' ')
const sentence = (name: string, predicate: string): string => `The ${label(name)} field ${predicate}.`

const WRONG: Readonly<Record<DocumentedField['type'], readonly unknown[]>> = {
  string: [7, true, {}, ['text']],
  integer: [1.5, '1.5', '1e3', 1e300, true, {}, [1], 'one', '0x10', '12345678901234567890'],
  number: ['much', true, {}, [1], '1,5', 'Infinity'],
  date: ['2026-02-30', 'yesterday', '2026-13-01', '01.02.2026', 7, {}, '2026-01-01 25:00:00'],
  object: ['{}', 7, true, []],
  boolean: [],
}

const PREDICATE: Readonly<Record<DocumentedField['type'], string>> = {
  string: 'must be a string',
  integer: 'must be an integer',
  number: 'must be a number',
  date: 'must be a valid date',
  object: 'must be an object',
  boolean: '',
}

const METHODS = ['POST', 'PUT', 'PATCH']

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

for (const resource of exposedResources) {
  const expected = documented[resource.name]
  if (!expected) continue
  const { path, fields } = expected
  const where = (holds: (field: DocumentedField) => boolean): [string, DocumentedField][] =>
    Object.entries(fields).filter(([, field]) => holds(field))
  const required = where(field => field.required).map(([name]) => name)

  let known: ReturnType<World['create']> | undefined
  /** Both a create and an update with this one member changed are refused with this sentence alone. */
  const refuses = async (name: string, value: unknown, text: string, methods = METHODS): Promise<void> => {
    known ??= world.create(resource)
    const { id } = await known
    for (const method of methods) {
      // A PATCH of a gateway may omit required members.
      if (method === 'PATCH' && value === undefined && resource.name === 'sms_gateways') continue
      const target = method === 'POST' ? path : `${path}/${id}`
      const { status, json } = await world.send(method, target, { ...world.body(resource), [name]: value })
      assert.equal(status, 422, `${method} ${name} = ${JSON.stringify(value)}`)
      assert.deepEqual(json, { message: text, errors: { [name]: [text] } }, `${name} = ${JSON.stringify(value)}`)
    }
  }
  const accepts = async (name: string, value: unknown): Promise<Record<string, unknown>> => {
    const { status, json, text } = await world.send('POST', path, { ...world.body(resource), [name]: value })
    assert.equal(status, 201, `${name}: ${text}`)
    return json.data
  }

  describe(`${path} checks`, () => {
    it('each required member: missing, null, empty and blank', async () => {
      for (const name of required) {
        const text = sentence(name, 'is required')
        await refuses(name, undefined, text)
        await refuses(name, null, text)
        await refuses(name, '', text)
        if (name !== 'password' && name !== 'secret') await refuses(name, ' \t ', text)
      }
    })

    it('all required members at once, in the order of the document', async () => {
      const { id } = await world.create(resource)
      const errors = Object.fromEntries(required.map(name => [name, [sentence(name, 'is required')]]))
      const message = `${sentence(required[0] ?? '', 'is required')} (and ${required.length - 1} more errors)`
      for (const [method, target] of [
        ['POST', path],
        ['PUT', `${path}/${id}`],
      ] as const) {
        const { status, json } = await world.send(method, target, {})
        assert.equal(status, 422)
        assert.deepEqual(json, { message, errors })
        assert.deepEqual(Object.keys(json.errors), required)
      }
    })

    it('the type of each member', async () => {
      for (const [name, { type }] of Object.entries(fields))
        for (const [i, value] of WRONG[type].entries())
          await refuses(name, value, sentence(name, PREDICATE[type]), i === 0 ? METHODS : ['POST'])
    })

    it('the length of each text in code points', async () => {
      for (const [name, { max, rule }] of where(field => field.max !== undefined)) {
        const most = max ?? 0
        const text = sentence(name, `must not be greater than ${most} characters`)
        await refuses(name, 'x'.repeat(most + 1), text)
        await refuses(name, '📞'.repeat(most + 1), text)
        if (rule) continue
        const data = await accepts(name, '📞'.repeat(most))
        if (!fields[name]?.hidden) assert.equal([...String(data[name])].length, most)
      }
    })

    it('texts without a bound take any length', async () => {
      for (const [name] of where(field => field.type === 'string' && field.max === undefined)) {
        const long = 'ж'.repeat(100_000)
        assert.equal((await accepts(name, long))[name], long)
      }
    })

    it('the rule of each text that has one', async () => {
      for (const [name, { rule }] of where(field => field.rule !== undefined))
        if (rule) await refuses(name, rule[0], sentence(name, rule[1]))
    })

    it('the least of each number', async () => {
      for (const [name, { min }] of where(field => field.min !== undefined)) {
        const least = min ?? 0
        const text = sentence(name, `must be at least ${least}`)
        await refuses(name, least - 1, text)
        await refuses(name, String(least - 1), text)
        const data = await accepts(name, least)
        assert.equal(Number(data[name]), least)
      }
    })

    it('integers given as digits', async () => {
      for (const [name] of where(field => field.type === 'integer' && !field.references))
        assert.equal((await accepts(name, ' 42 '))[name], 42)
    })

    it('that references exist', async () => {
      for (const [name] of where(field => field.references === true))
        for (const unknown of [999_999, '999999', 0, -5])
          await refuses(name, unknown, `The selected ${label(name)} is invalid.`)
    })

    it('that unique sets are unique, except the record itself', async () => {
      for (const set of expected.unique) {
        const name = set.at(-1) ?? ''
        const first = await world.create(resource)
        const text = `The ${label(name)} has already been taken.`
        await refuses(name, first[name], text)
        const same = { ...world.body(resource), [name]: first[name] }
        assert.equal((await world.send('PUT', `${path}/${first.id}`, same)).status, 200)
      }
    })

    it('texts once they are trimmed, passwords and secrets as they are', async () => {
      for (const [name, { rule }] of where(({ type, hidden }) => type === 'string' && !hidden)) {
        const given = rule ? ` ${String(world.body(resource)[name])} ` : `  ${name} ${Math.random()}`.slice(0, 20)
        const data = await accepts(name, given)
        assert.equal(data[name], name === 'secret' ? given : given.trim())
      }
    })

    it('booleans by coercion', async () => {
      const cases = [
        ...[true, 1, '1', 'true', 'on', 'yes'].map(value => [value, true] as const),
        ...[false, 0, '0', 'false', 'off', 'no', 2, 'maybe', [], {}, '', null].map(value => [value, false] as const),
      ]
      for (const [name] of where(field => field.type === 'boolean'))
        for (const [given, shown] of cases) assert.equal((await accepts(name, given))[name], shown, String(given))
    })
  })
}

describe('a validation error', () => {
  it('counts one more error in the singular', async () => {
    const { json } = await world.send('POST', '/api/queues', { ...world.body('queues'), name: 7, timeout: 0 })
    assert.equal(json.message, 'The name field must be a string. (and 1 more error)')
  })

  it('reports references and uniqueness together with everything else', async () => {
    const taken = await world.create('tenants')
    const body = { ...world.body('tenants'), name: '', slug: taken.slug, domain: taken.domain, max_extensions: 0 }
    const { json } = await world.send('POST', '/api/tenants', body)
    assert.deepEqual(json, {
      message: 'The name field is required. (and 3 more errors)',
      errors: {
        name: ['The name field is required.'],
        slug: ['The slug has already been taken.'],
        domain: ['The domain has already been taken.'],
        max_extensions: ['The max extensions field must be at least 1.'],
      },
    })
    const cdr = await world.send('POST', '/api/cdrs', { ...world.body('cdrs'), tenant_id: 999_999, cost: -1 })
    assert.deepEqual(Object.keys(cdr.json.errors), ['tenant_id', 'cost'])
  })
})
