import type { Joint, Side } from '../../core/resources/references/within.ts'
import { tableOf } from './table.ts'

/** The SQL of what a side belongs to, where `of` returns the SQL of a field; null if it points to nothing. */
export function withinSql({ field, to }: Side, within: string, of: (field: string) => string): string {
  if (to === null) return of(field)
  const owner = (target: string): string => `(SELECT o.${within} FROM ${tableOf(target)} o WHERE o.id = ${of(field)})`
  if (typeof to === 'string') return owner(to)
  const { by, ...targets } = to
  const kinds = Object.entries(targets).map(([kind, target]) => `WHEN '${kind}' THEN ${owner(target)}`)
  return `CASE ${of(by)} ${kinds.join(' ')} END`
}

/** The SQL condition that some record `j` joins the one with `id` to something outside `to`. */
export function joinedSql({ within, pointing, others }: Joint, id: string, to: string): string {
  const where = Object.entries(pointing.kind).map(([field, kind]) => `j.${field} = '${kind}'`)
  const away = others.map(side => `${withinSql(side, within, field => `j.${field}`)} <> ${to}`)
  return `EXISTS (SELECT 1 FROM ${tableOf(pointing.from.name)} j
    WHERE ${[...where, `j.${pointing.field} = ${id}`].join(' AND ')} AND (${away.join(' OR ')}))`
}
