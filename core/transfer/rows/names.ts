import { Problem, type Value } from '../../resources/field.ts'
import { isCompleted, type NamedReference, type NamedTarget } from '../../resources/references/names.ts'
import type { Resource, Row } from '../../resources/resource.ts'
import type { Lookup } from '../../use-cases/records/lookup.ts'
import { numberFinder } from '../../use-cases/records/same-number.ts'

/** What completes a name: the kind of record, if there are several, and its owner. */
export interface Scope {
  readonly kind: Value
  readonly outer: Value
}

/** Returns the id for a name, or what is wrong; undefined if it must be looked up first. */
export type Finder = (scope: Scope, text: string) => number | Problem | undefined

/** Caches the records that names in an input refer to: many rows share few names. */
export interface Names {
  /** `isId`: digits are an id first, and only then a name. */
  finder(reference: NamedReference, isId: boolean): Finder
  /** Looks up the requested names that are unknown; returns false if there were none. */
  load(): Promise<boolean>
}

/** The results for one reference's names, by scope. */
type Known = Map<Value, Map<string, number | Problem>>

const keyOf = ({ kind, outer }: Scope): Value => (kind === null ? outer : `${kind} ${outer}`)

interface Wanted {
  readonly reference: NamedReference
  readonly scope: Scope
  readonly text: string
  readonly isId: boolean
  readonly known: Known
}

const REMEMBERED = 100_000

/** `within` limits every name: to the tenant that all records belong to. */
export function namesIn(records: Lookup, within: Row = {}): Names {
  const all: Known[] = []
  const numbers = new Map<Resource, Written>()
  const writtenAs = (resource: Resource): Written => {
    const tenantId = within['tenant_id']
    const found =
      numbers.get(resource) ?? numberFinder(records, resource, typeof tenantId === 'number' ? tenantId : undefined)
    numbers.set(resource, found)
    return found
  }
  let wanted: Wanted[] = []
  let size = 0
  return {
    finder: (reference, isId) => {
      const byScope: Known = new Map()
      all.push(byScope)
      return (scope, text) => {
        const found = byScope.get(keyOf(scope))?.get(text)
        if (found === undefined) wanted.push({ reference, scope, text, isId, known: byScope })
        return found
      }
    },
    load: async () => {
      if (wanted.length === 0) return false
      size += wanted.length
      if (size > REMEMBERED) {
        for (const byScope of all) byScope.clear()
        size = wanted.length
      }
      for (const name of wanted) {
        const names = name.known.get(keyOf(name.scope)) ?? new Map<string, number | Problem>()
        // A copy, since the text may be a slice that would keep a whole block of the input in memory.
        if (!names.has(name.text)) names.set(apart(name.text), await lookUp(records, within, name, writtenAs))
        name.known.set(keyOf(name.scope), names)
      }
      wanted = []
      return true
    },
  }
}

/** Copies a text, so that it does not keep the larger one alive that it is a slice of. */
const apart = (text: string): string => Array.from(text).join('')

/** Finds the ids of records whose phone number is written differently. */
type Written = (number: string) => Promise<number[]>

async function lookUp(
  records: Lookup,
  within: Row,
  wanted: Wanted,
  writtenAs: (resource: Resource) => Written,
): Promise<number | Problem> {
  const { reference, scope, text, isId } = wanted
  const target = reference.targets.find(({ kind }) => kind === scope.kind)
  if (!target) return NOT_FOUND
  const byName = () => idsByName(records, within, { target, outerId: scope.outer, text })
  const byId = () => idById(records, target, text)
  const byNumber = () => writtenAs(target.resource)(text)
  for (const way of isCompleted(reference) ? [byName] : [...(isId ? [byId, byName] : [byName, byId]), byNumber]) {
    const [id, another] = await way()
    if (another !== undefined) return new Problem('ambiguous', 'is ambiguous')
    if (id !== undefined) return id
  }
  return NOT_FOUND
}

const NOT_FOUND = new Problem('reference', 'is invalid')

interface Name {
  readonly target: NamedTarget
  /** What completes it, if that is known. */
  readonly outerId: Value
  readonly text: string
}

/** Returns the ids of records with this name: in full, or without what completes it, if that is known. */
async function idsByName(records: Lookup, within: Row, { target, outerId, text }: Name): Promise<number[]> {
  const { resource, own, outer } = target
  const narrow = Object.fromEntries(Object.entries(within).filter(([field]) => resource.fields[field]))
  const [outerTarget] = outer?.targets ?? []
  if (!outer || !outerTarget) return records.identify(resource, { ...narrow, [own]: text })
  const ofOuter = (id: Value, name: string) => records.identify(resource, { [outer.field]: id, [own]: name })
  const found = outerId === null ? [] : await ofOuter(outerId, text)
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) {
    const [id, another] = await idsByName(records, {}, { target: outerTarget, outerId: null, text: text.slice(0, at) })
    if (id !== undefined && another === undefined) found.push(...(await ofOuter(id, text.slice(at + 1))))
  }
  return [...new Set(found)]
}

const ID = /^[1-9]\d{0,14}$/

const idById = async (records: Lookup, { resource }: NamedTarget, text: string): Promise<number[]> =>
  ID.test(text) && (await records.find(resource, Number(text))) ? [Number(text)] : []
