import type { Records } from '../../../core/ports/records.ts'
import { Problem, type Value } from '../../../core/resources/field.ts'
import { type NamedReference, namedReferences } from '../../../core/use-cases/import.ts'

/** The id that a name stands for, or what is wrong; undefined when it must be looked up first. */
export type Finder = (scope: readonly Value[], text: string) => number | Problem | undefined

/** The records that names in an input stand for, remembered: few are named by many rows. */
export interface Names {
  /** `isId`: digits are an id before they are a name. */
  finder(reference: NamedReference, isId: boolean): Finder
  /** Looks up what was asked for and not known; false when there was nothing. */
  load(): Promise<boolean>
}

/** What one reference's names stand for, by the scope they are in. */
type Known = Map<Value, Map<string, number | Problem>>

interface Wanted {
  readonly reference: NamedReference
  readonly scope: readonly Value[]
  readonly text: string
  readonly isId: boolean
  readonly known: Known
}

const REMEMBERED = 100_000

export function namesIn(records: Records): Names {
  const all: Known[] = []
  let wanted: Wanted[] = []
  let size = 0
  return {
    finder: (reference, isId) => {
      const known: Known = new Map()
      all.push(known)
      return (scope, text) => {
        const found = known.get(scope[0] ?? null)?.get(text)
        if (found === undefined) wanted.push({ reference, scope, text, isId, known })
        return found
      }
    },
    load: async () => {
      if (wanted.length === 0) return false
      size += wanted.length
      if (size > REMEMBERED) {
        for (const known of all) known.clear()
        size = wanted.length
      }
      for (const want of wanted) {
        const names = want.known.get(want.scope[0] ?? null) ?? new Map<string, number | Problem>()
        // A copy, since the text may be a slice that would keep a whole block of the input in memory.
        if (!names.has(want.text)) names.set(Buffer.from(want.text).toString(), await lookUp(records, want))
        want.known.set(want.scope[0] ?? null, names)
      }
      wanted = []
      return true
    },
  }
}

async function lookUp(records: Records, { reference, scope, text, isId }: Wanted): Promise<number | Problem> {
  const ways = [() => idsByName(records, reference, scope, text), () => idById(records, reference, text)]
  for (const way of reference.scope.length > 0 ? ways.slice(0, 1) : isId ? ways.reverse() : ways) {
    const [id, another] = await way()
    if (another !== undefined) return new Problem('ambiguous', 'is ambiguous')
    if (id !== undefined) return id
  }
  return new Problem('reference', 'is invalid')
}

/** The ids of the records of the reference's resource that have this name: within the scope, or in full. */
async function idsByName(
  records: Records,
  { target, scope, own }: NamedReference,
  ids: readonly Value[],
  text: string,
): Promise<number[]> {
  const parts = (values: readonly Value[], name: string) =>
    Object.fromEntries([...scope.map((part, i) => [part, values[i] ?? null]), ...own.map(part => [part, name])])
  const found = ids.every(id => id !== null) ? await records.identify(target, parts(ids, text)) : []
  const outer = namedReferences(target).find(named => scope.includes(named.field))
  for (let at = text.indexOf('/'); outer && at !== -1; at = text.indexOf('/', at + 1)) {
    const [id, another] = await records.identify(outer.target, { [outer.own[0] ?? 'id']: text.slice(0, at) })
    if (id !== undefined && another === undefined)
      found.push(...(await records.identify(target, parts([id], text.slice(at + 1)))))
  }
  return [...new Set(found)]
}

const ID = /^[1-9]\d{0,14}$/

const idById = async (records: Records, { target }: NamedReference, text: string): Promise<number[]> =>
  ID.test(text) && (await records.find(target, Number(text))) ? [Number(text)] : []
