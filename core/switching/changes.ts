import type { Changed } from '../ports/switching.ts'

export const NOTHING_CHANGED: Changed = new Set()

/** Merges two changes. */
export const together = (one: Changed, other: Changed): Changed =>
  one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other])

export const isNothing = (changed: Changed): boolean => changed !== 'all' && changed.size === 0
