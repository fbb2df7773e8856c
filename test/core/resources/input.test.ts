import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type FieldError, invalid } from '../../../core/errors.ts'
import { agents } from '../../../core/resources/extensions.ts'
import { boolean, decimal, integer, json, text } from '../../../core/resources/field.ts'
import { resource } from '../../../core/resources/resource.ts'
import { mergeErrors } from '../../../core/resources/values/field-errors.ts'
import { asBody, type Mode, parseMembers, parseWhole } from '../../../core/resources/values/input.ts'

const fields = {
  tenant_id: integer({ min: 1 }),
  display_name: text(5),
  api_path: text(255, { optional: true, fallback: 'send' }),
  password: text(255, { untrimmed: true }),
  is_active: boolean(),
  cost: decimal(),
  meta: json(),
}
const REQUIRED = { tenant_id: 1, display_name: 'a', password: 'p', cost: 1 }
const READ = { tenant_id: 1, display_name: 'a', password: 'p', cost: 10_000 }

const missing = (field: string, sentence: string): FieldError => ({ rule: 'required', field, sentence })

const parse = (body: Record<string, unknown>, mode: Mode = 'create') => parseMembers(fields, body, mode)

test('every failing field is reported at once, in the order of the declaration', () => {
  const { errors, values } = parse({ cost: -1, display_name: 'longer', tenant_id: '1.5', meta: [] })
  assert.deepEqual(errors, [
    { rule: 'type', field: 'tenant_id', sentence: 'The tenant id field must be an integer.' },
    { rule: 'max', field: 'display_name', sentence: 'The display name field must not be greater than 5 characters.' },
    { rule: 'required', field: 'password', sentence: 'The password field is required.' },
    { rule: 'min', field: 'cost', sentence: 'The cost field must be at least 0.' },
    { rule: 'type', field: 'meta', sentence: 'The meta field must be an object.' },
  ])
  assert.deepEqual(values, { api_path: 'send', is_active: false })
})

test('an omitted member is its default on create', () => {
  const { values, errors } = parse(REQUIRED)
  assert.deepEqual(errors, [])
  assert.deepEqual(values, { ...READ, api_path: 'send', is_active: false, meta: null })
})

test('an omitted optional member keeps its stored value in a merge', () => {
  const { values, errors } = parse(REQUIRED, 'keep')
  assert.deepEqual(errors, [])
  assert.deepEqual(values, READ)
})

test('an omitted optional member is null, or false, where the record is replaced', () => {
  const { values, errors } = parse(REQUIRED, 'clear')
  assert.deepEqual(errors, [])
  assert.deepEqual(values, { ...READ, api_path: null, is_active: false, meta: null })
})

test('required members must be there, except in a merge', () => {
  for (const mode of ['create', 'keep', 'clear'] as const)
    assert.deepEqual(
      parse({}, mode).errors.map(({ field }) => field),
      ['tenant_id', 'display_name', 'password', 'cost'],
      mode,
    )
  assert.deepEqual(parse({}, 'merge'), { values: {}, errors: [] })
})

test('a merge changes what it names, and a required member it names must have a value', () => {
  assert.deepEqual(parse({ api_path: null, is_active: null, display_name: ' b ' }, 'merge'), {
    values: { api_path: null, is_active: false, display_name: 'b' },
    errors: [],
  })
  assert.deepEqual(parse({ display_name: null, password: '' }, 'merge').errors, [
    missing('display_name', 'The display name field is required.'),
    missing('password', 'The password field is required.'),
  ])
})

test('an empty or blank text is not a value', () => {
  for (const blank of ['', '   ', '\t\n', null, undefined]) {
    assert.deepEqual(parse({ ...REQUIRED, display_name: blank }).errors, [
      missing('display_name', 'The display name field is required.'),
    ])
    assert.equal(parse({ ...REQUIRED, meta: blank }).values.meta, null)
    assert.equal(parse({ ...REQUIRED, api_path: blank }, 'keep').values.api_path, null)
    assert.equal(parse({ ...REQUIRED, is_active: blank }, 'keep').values.is_active, false)
  }
})

test('blanks are a value where they are significant', () => {
  assert.equal(parse({ ...REQUIRED, password: '  ' }).values.password, '  ')
})

test('false, 0 and {} are values', () => {
  const { values } = parse({ ...REQUIRED, cost: 0, is_active: 0, meta: {} })
  assert.deepEqual([values.cost, values.is_active, values.meta], [0, false, '{}'])
})

test("members that are not declared, or not the body's own, are ignored", () => {
  const body = Object.assign(Object.create({ tenant_id: 5 }), { display_name: 'a', id: 9, delivery_status: 'x' })
  const { values, errors } = parse(body, 'merge')
  assert.deepEqual(values, { display_name: 'a' })
  assert.deepEqual(errors, [])
})

test('a field that cannot be null takes its default when it is cleared', () => {
  for (const mode of ['create', 'keep', 'clear', 'merge'] as const)
    assert.equal(
      parseMembers(agents.fields, { queue_id: 1, extension_id: 1, penalty: null }, mode).values.penalty,
      0,
      mode,
    )
})

test('a body that is not an object breaks a rule', () => {
  for (const body of [null, [], 'text', 1, undefined])
    assert.throws(
      () => asBody(body),
      (error: unknown) =>
        error instanceof AppError && error.code === 'invalid' && error.details.errors?.[0]?.field === 'body',
    )
})

test('reading a whole body throws every sentence, the first as its message', () => {
  assert.throws(() => parseWhole(fields, {}), {
    name: 'AppError',
    code: 'invalid',
    message: 'The tenant id field is required. (and 3 more errors)',
  })
  assert.deepEqual(parseWhole({ display_name: fields.display_name }, { display_name: 'a' }), { display_name: 'a' })
})

const broken = (field: string, sentence: string): FieldError => ({ rule: 'type', field, sentence })

test('the message of an invalid request counts the errors past the first', () => {
  assert.equal(invalid([broken('a', 'One.')]).message, 'One.')
  assert.equal(invalid([broken('a', 'One.'), broken('a', 'Two.')]).message, 'One. (and 1 more error)')
  assert.equal(
    invalid([broken('a', 'One.'), broken('b', 'Two.'), broken('b', 'Three.')]).message,
    'One. (and 2 more errors)',
  )
})

test('two sets of errors are merged in the order of the declaration, the first set winning where both have one', () => {
  const declared = resource({ name: 'things', label: 'Thing', fields })
  const [cost, meta, tenant] = [broken('cost', 'first'), broken('meta', 'm'), broken('tenant_id', 't')]
  assert.deepEqual(mergeErrors(declared, [cost, meta], [tenant, broken('cost', 'second')]), [tenant, cost, meta])
})
