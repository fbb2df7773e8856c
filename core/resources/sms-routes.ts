import Type from 'typebox'
import { stringifyJson } from '../json.ts'
import { type Field, integer, Problem, refersTo, text } from './field.ts'
import { resource } from './resource.ts'

const id = integer({ min: 1 })
const MOST = 20

/** Gateway ids in the order to try; stored as a JSON array. */
const gateways: Field<string> = {
  kind: 'json',
  required: true,
  fallback: null,
  input: Type.Array(id.input, { minItems: 1, maxItems: MOST, examples: [[1]] }),
  output: Type.Array(id.output, { examples: [[1]] }),
  parse: input => {
    if (!Array.isArray(input) || input.length === 0) return new Problem('type', 'must be a list of ids of gateways')
    if (input.length > MOST) return new Problem('max', `must not have more than ${MOST} gateways`)
    const ids = input.map(id.parse)
    const problem = ids.find(each => each instanceof Problem)
    return problem ? new Problem('type', 'must be a list of ids of gateways') : stringifyJson([...new Set(ids)])
  },
}

/** Which gateways send a message that names none. */
export const smsRoutes = resource({
  name: 'sms_routes',
  label: 'SMS route',
  timestamps: false,
  fields: {
    /** null: for every tenant, and for messages without one. */
    tenant_id: refersTo('tenants', 'cascade', { optional: true }),
    /** Digits that the destination begins with; empty for all. */
    prefix: text(15, {
      optional: true,
      rule: { holds: value => /^\+?\d+$/.test(value), predicate: 'must be digits', schema: { pattern: '^\\+?\\d+$' } },
      examples: ['380'],
    }),
    gateways,
  },
})
