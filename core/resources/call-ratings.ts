import { isSwitchName, SOURCE_FORMATS, switchOf } from '../calls/completed-call.ts'
import { isJsonObject } from '../json.ts'
import { OUTCOMES } from '../rating/outcome.ts'
import { date, decimal, type Field, integer, json, Problem, text } from './field.ts'
import { parseMembers } from './values/input.ts'
import { rules } from './values/text-rules.ts'

const outcome = rules.oneOf(...OUTCOMES)

/** A rating that a later one replaced. */
const formerRating = {
  replaced_at: date(),
  direction: text(50, { optional: true, rule: rules.oneOf('inbound', 'outbound') }),
  outcome: text(20, { rule: outcome }),
  bill_seconds: integer({ min: 0 }),
  cost: decimal(),
  prefix: text(50, { optional: true }),
  cost_per_minute: decimal({ optional: true }),
  billing_increment: integer({ min: 1, optional: true }),
}

/** Replaced ratings, oldest first, as the text of a JSON array; its amounts are in units of 0.0001. */
function formerRatings(): Field<string | null> {
  return {
    ...json(),
    parse: input => {
      if (!Array.isArray(input)) return new Problem('type', 'must be an array of ratings')
      const parsed = input.map(each => parseMembers(formerRating, isJsonObject(each) ? each : {}, 'create'))
      const [wrong] = parsed.flatMap(({ errors }) => errors)
      if (wrong) return new Problem('format', `must be an array of ratings: ${wrong.sentence.replace(/\.$/, '')}`)
      return JSON.stringify(parsed.map(({ values }) => values))
    },
  }
}

/** Calls that no switch delivered have no ratings. */
const needs = ['source', 'switch_call_id']

/** True if the records are calls that may have a rating. */
export const isRated = ({ kept }: { readonly kept: Readonly<Record<string, unknown>> }): boolean => 'outcome' in kept

/**
 * A call's identity on its switch, and its rating. Names the rate by its prefix, since ids differ between databases.
 */
export const keptWithCalls = {
  source: { ...text(20, { optional: true, rule: rules.oneOf(...new Set(SOURCE_FORMATS.map(switchOf))) }), needs },
  switch: {
    ...text(50, {
      optional: true,
      rule: { holds: isSwitchName, predicate: 'may only contain letters, digits and _ . : -' },
    }),
    needs,
  },
  switch_call_id: { ...text(null, { optional: true, untrimmed: true, dialled: 'name' }), needs },
  outcome: { ...text(20, { optional: true, rule: outcome }), needs },
  rate_prefix: { ...text(50, { optional: true }), needs },
  rate_cost_per_minute: { ...decimal({ optional: true }), needs },
  rate_billing_increment: { ...integer({ min: 1, optional: true }), needs },
  former_ratings: { ...formerRatings(), needs },
}
