import type { FieldError } from '../../errors.ts'
import type { Rejection } from '../../ports/bulk.ts'
import { resourceNamed } from '../../resources/all.ts'
import { jointsAt, movingJoined, sidesOf, TENANT } from '../../resources/references/within.ts'
import { fieldLabel, type Resource } from '../../resources/resource.ts'
import { dangling, foreign, mergeErrors, outside, overLimit, taken } from '../../resources/values/field-errors.ts'

/** The rules that a storage checks for all staged rows of an import at once. */
export type ProblemKind =
  | 'duplicate' // `detail` is the first line with the same value
  | 'several'
  | 'taken'
  | 'reference'
  | 'outside'
  | 'foreign'
  | 'joined'
  | 'limit' // `detail` is how many the parent holds

/** A broken rule of a staged row, as a storage notes it. */
export interface StagedProblem {
  readonly row: number
  readonly line: number
  readonly raw: string | null
  readonly field: string
  readonly kind: ProblemKind
  readonly detail: number | null
}

type ErrorOf = (resource: Resource, field: string, detail: number) => FieldError

const ERRORS: Readonly<Record<ProblemKind, ErrorOf>> = {
  duplicate: (_, field, line) => ({
    rule: 'repeated',
    field,
    sentence: `The ${fieldLabel(field)} is the same as in line ${line}.`,
    detail: { line },
  }),
  several: ({ plural }, field) => ({
    rule: 'ambiguous',
    field,
    sentence: `Several ${plural} are stored with this ${fieldLabel(field)}; which is meant is not clear.`,
  }),
  taken: (_, field) => taken(field),
  reference: (_, field) => dangling(field),
  foreign: (resource, field) => foreign(field, sidesOf(resource)[0]?.field ?? '', resource.within?.field ?? ''),
  outside: (_, field) => outside(field, TENANT),
  joined: resource => movingJoined(resource, jointsAt(resource)),
  limit: ({ limit, plural }, field, max) => overLimit(field, resourceNamed(limit?.parent ?? '').label, max, plural),
}

/** The problems of one row. */
export type RowProblems = readonly [StagedProblem, ...StagedProblem[]]

/** Rejects a row for its problems, in the order of the declaration. */
export function rejectionFor(resource: Resource, problems: RowProblems): Rejection {
  const { row, line, raw } = problems[0]
  const errors = problems.map(({ field, kind, detail }) => ERRORS[kind](resource, field, detail ?? 0))
  return { row, line, raw, errors: mergeErrors(resource, errors) }
}

/** Yields problems that come in the order of their rows, grouped by row. */
export function* byRow(problems: Iterable<StagedProblem>): Generator<RowProblems> {
  let group: [StagedProblem, ...StagedProblem[]] | null = null
  for (const problem of problems) {
    if (group?.[0].row === problem.row) group.push(problem)
    else {
      if (group) yield group
      group = [problem]
    }
  }
  if (group) yield group
}
