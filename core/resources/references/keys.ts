import { isJsonObject, type JsonObject } from '../../json.ts'
import { nearest } from '../../nearest.ts'

/**
 * What is wrong with a member of a JSON field: `must be …` or `is not known`, the end of a sentence that begins with its
 * path. It never holds what the member holds, which may be secret.
 */
export interface KeyFault {
  readonly path: readonly string[]
  readonly problem: string
  /** What was most likely meant: another name of the last key, or another value. */
  readonly meant?: { readonly key: string } | { readonly value: string | number }
}

/** A key of a JSON field that a rule reads. All others are the client's own. */
export interface Key {
  /** Whether a word like 212 is text and no number. */
  readonly isText: boolean
  /** The keys below, where it is an object and all of them are ours. */
  readonly keys?: Keys
  /** It forbids something, so only a person can decide to take it away. */
  readonly isGuard?: true
  /** What is wrong with a value that is not null, with paths below the key. */
  faults(value: unknown): readonly KeyFault[]
}

export type Keys = Readonly<Record<string, Key>>

/** A key whose value holds, or `must be` what is expected. */
export const key = (expected: string, holds: (value: unknown) => boolean, meant?: KeyFault['meant']): Key => ({
  isText: false,
  faults: value =>
    holds(value) ? [] : [{ path: [], problem: `must be ${expected}`, ...(meant === undefined ? {} : { meant }) }],
})

export const textKey = (expected: string, holds: (text: string) => boolean, meant?: KeyFault['meant']): Key => ({
  ...key(expected, value => typeof value === 'string' && holds(value), meant),
  isText: true,
})

export const choiceKey = (...values: readonly string[]): Key => ({
  isText: true,
  faults: value => {
    if (values.some(each => each === value)) return []
    const meant = nearest(String(value), values)
    return [
      { path: [], problem: `must be ${values.join(' or ')}`, ...(meant === null ? {} : { meant: { value: meant } }) },
    ]
  },
})

/** Fewer letters than `nearest` allows for a typo: any name may be a client's own. */
const mostEdits = (name: string): number => Math.min(2, Math.floor(name.length / 3))

/** An object with more members is data: its names are not checked for typos. */
const MOST_NAMES = 1_000

/** What no rule can read: values of another type, and names that are nearly those of a key. */
export function keyFaults(keys: Keys, object: JsonObject): KeyFault[] {
  const members = Object.entries(object)
  return members.flatMap(([name, value]): readonly KeyFault[] => {
    const known = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (known)
      return value === null ? [] : known.faults(value).map(fault => ({ ...fault, path: [name, ...fault.path] }))
    if (members.length > MOST_NAMES) return []
    const meant = nearest(name, Object.keys(keys), mostEdits(name))
    return meant === null ? [] : [{ path: [name], problem: 'is not known', meant: { key: meant } }]
  })
}

/** A member that is to be given another value, or taken away (undefined). */
export interface KeyEdit {
  readonly path: readonly string[]
  readonly value: unknown
}

/** The edits after which a rule can read the object: what was most likely meant, else without what it cannot read. */
export function correction(keys: Keys, object: JsonObject, { path, meant }: KeyFault): KeyEdit[] {
  if (meant && 'value' in meant) return [{ path, value: meant.value }]
  const gone = { path, value: undefined }
  if (!meant) return [gone]
  const right = { path: [...path.slice(0, -1), meant.key], value: memberAt(object, path) }
  const isFree = (memberAt(object, right.path) ?? null) === null
  const next = edited(object, [gone, right])
  const isRead = !(next instanceof NoObject) && keyFaults(keys, next).length < keyFaults(keys, object).length
  return isFree && isRead ? [gone, right] : [gone]
}

const memberAt = (object: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined
    ? object
    : isJsonObject(object) && Object.hasOwn(object, name)
      ? memberAt(object[name], rest)
      : undefined

/** The stored value prevents an edit: it is not an object, so it has no members. */
export class NoObject {
  readonly path: readonly string[]
  constructor(path: readonly string[]) {
    this.path = path
  }
}

/** The object with these edits, what is taken away first; objects that are missing on a path are made. */
export function edited(object: JsonObject, edits: readonly KeyEdit[]): JsonObject | NoObject {
  const inOrder = edits.toSorted((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined))
  let result: JsonObject | NoObject = object
  for (const { path, value } of inOrder) if (!(result instanceof NoObject)) result = editedAt(result, path, value, [])
  return result
}

function editedAt(
  object: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: unknown,
  above: readonly string[],
): JsonObject | NoObject {
  const present = Object.hasOwn(object, name) ? object[name] : undefined
  if (rest.length === 0 && value !== undefined) return { ...object, [name]: value }
  if (rest.length === 0) return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name))
  if ((present ?? null) === null && value === undefined) return object
  const path = [...above, name]
  const inner = present ?? {}
  if (!isJsonObject(inner)) return new NoObject(path)
  const below = editedAt(inner, rest, value, path)
  return below instanceof NoObject ? below : { ...object, [name]: below }
}
