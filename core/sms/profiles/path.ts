import { isJsonObject, numeral } from '../../json.ts'

/** The steps of a path such as `data.messages[*].id`: a member's name, an index, or every element. */
const STEP = /([^.[\]]+)|\[(\d+|\*)\]/g

/** Every value at the path, in order; none where it leads nowhere. Own members only. */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value]
  for (const [, name, index] of path.matchAll(STEP)) {
    found = found.flatMap(each => {
      if (name !== undefined) return isJsonObject(each) && Object.hasOwn(each, name) ? [each[name]] : []
      if (!Array.isArray(each)) return []
      return index === '*' ? each : each.slice(Number(index), Number(index) + 1)
    })
    if (found.length === 0) return found
  }
  return found
}

/** The texts and numbers among the values at the path, trimmed, without empty ones. */
export const textsAt = (value: unknown, path: string): readonly string[] =>
  valuesAt(value, path).flatMap(each => {
    const text = typeof each === 'boolean' ? String(each) : numeral(each)?.trim()
    return text ? [text] : []
  })

/** The text at the first of the paths that leads to one. */
export function firstTextAt(value: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    const [text] = textsAt(value, path)
    if (text !== undefined) return text
  }
  return null
}

/** Does every value at the path pass? A path that leads nowhere does not. */
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
