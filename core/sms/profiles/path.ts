import { isJsonObject, numeral } from '../../json.ts'

type Step = { readonly name: string } | { readonly index: number } | 'every element'

/** The steps of a path such as `data.messages[*].id`. */
const STEP = /([^.[\]]+)|\[(\d+|\*)\]/g

/** Bounded by the number of paths in profiles. */
const steps = new Map<string, readonly Step[]>()

function stepsOf(path: string): readonly Step[] {
  const cached = steps.get(path)
  if (cached) return cached
  const found = [...path.matchAll(STEP)].map(([, name, index]): Step => {
    if (name !== undefined) return { name }
    return index === '*' ? 'every element' : { index: Number(index) }
  })
  steps.set(path, found)
  return found
}

/** Returns every value at the path, in order; none if it leads nowhere. Follows own members only. */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value]
  for (const step of stepsOf(path)) found = found.flatMap(each => valuesIn(each, step))
  return found
}

function valuesIn(value: unknown, step: Step): readonly unknown[] {
  if (step !== 'every element' && 'name' in step)
    return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : []
  if (!Array.isArray(value)) return []
  return step === 'every element' ? value : value.slice(step.index, step.index + 1)
}

/** Returns the texts and numbers at the path, trimmed, without empty ones. */
export const textsAt = (value: unknown, path: string): readonly string[] =>
  valuesAt(value, path).flatMap(each => {
    const text = typeof each === 'boolean' ? String(each) : numeral(each)?.trim()
    return text ? [text] : []
  })

/** Returns the text at the first path that leads to one. */
export function firstTextAt(value: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    const [text] = textsAt(value, path)
    if (text !== undefined) return text
  }
  return null
}

/** Returns whether every value at the path passes; false if there is none. */
export function holds(
  value: unknown,
  { path, is, matches }: { path: string; is?: readonly string[]; matches?: string },
): boolean {
  const values = valuesAt(value, path)
  const pattern = matches === undefined ? null : new RegExp(matches, 'u')
  return (
    values.length > 0 &&
    values.every(each => {
      const text = typeof each === 'boolean' ? String(each) : numeral(each)
      return text !== null && (is === undefined || is.includes(text)) && (pattern === null || pattern.test(text))
    })
  )
}
