import { isJsonObject, type JsonObject } from '../../json.ts'
import { nearest } from '../../nearest.ts'

/**
 * What is wrong with a member of a JSON field: the end of a sentence that begins with its path, `must be …` or `is not
 * known`. Never includes the member's value, which may be secret.
 */
export interface KeyFault {
  readonly path: readonly string[]
  readonly problem: string
  /** The likely intent: another name for the last key, or another value. */
  readonly meant?: { readonly key: string } | { readonly value: string | number }
}

/** A key of a JSON field that a rule reads. All others belong to the client. */
export interface Key {
  /** True if digits such as 212 are read as text. */
  readonly isText: boolean
  /** The keys of an object in which every key is ours. */
  readonly keys?: Keys
  /** True if the key forbids something, so that only a person may decide to remove it. */
  readonly isGuard?: true
  /** Returns what is wrong with a value that is not null, with paths below the key. */
  faults(value: unknown): readonly KeyFault[]
}

export type Keys = Readonly<Record<string, Key>>

/** Declares a key whose value satisfies `holds`, or `must be` what is expected. */
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

/** Stricter than `nearest`, since any name may be a client's own. */
const mostEdits = (name: string): number => Math.min(2, Math.floor(name.length / 3))

/** An object with more members is data: its names are not checked for typos. */
const MOST_NAMES = 1_000

/** Returns what no rule can read: values of a wrong type, and names close to a known key. */
export function keyFaults(keys: Keys, object: JsonObject): KeyFault[] {
  const members = Object.entries(object)
  return members.flatMap(([name, value]): readonly KeyFault[] => {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (key) return value === null ? [] : key.faults(value).map(fault => ({ ...fault, path: [name, ...fault.path] }))
    if (members.length > MOST_NAMES) return []
    const meant = nearest(name, Object.keys(keys), mostEdits(name))
    return meant === null ? [] : [{ path: [name], problem: 'is not known', meant: { key: meant } }]
  })
}

/** A member to set, or to remove (undefined). */
export interface KeyEdit {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Returns edits after which rules can read the object: they make the likely correction, or remove the member. */
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

/** The stored value is not an object, so its members cannot be edited. */
export class NoObject {
  readonly path: readonly string[]
  constructor(path: readonly string[]) {
    this.path = path
  }
}

/** Returns the object with these edits applied, removals first; creates missing objects on a path. */
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
