import type { NamedReference, NamedTarget } from '../../core/resources/references/names.ts'
import { tableOf } from './table.ts'

/** The SQL of the name of the record that a reference of `alias` points to; `shown` formats a target's full name. */
export function referenceNameSql(
  { field, by, targets }: NamedReference,
  alias: string,
  shown: (target: NamedTarget, full: string) => string = (_, full) => full,
): string {
  const name = (target: NamedTarget): string => {
    const { resource, own, outer } = target
    const full = `${outer ? `${referenceNameSql(outer, `r_${alias}`)} || '/' || ` : ''}r_${alias}.${own}`
    return `(SELECT ${shown(target, full)} FROM ${tableOf(resource.name)} r_${alias} WHERE r_${alias}.id = ${alias}.${field})`
  }
  const [only] = targets
  if (by === null) return only ? name(only) : 'NULL'
  return `CASE ${alias}.${by} ${targets.map(target => `WHEN '${target.kind}' THEN ${name(target)}`).join(' ')} END`
}
