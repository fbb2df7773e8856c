/** The placeholders of a profile's templates, besides `account.KEY`. */
export const PLACEHOLDERS = [
  'to',
  'from',
  'text',
  'textHexUtf16be',
  'reference',
  'receiptUrl',
  'username',
  'password',
  'token',
] as const

/** By placeholder. A member whose template uses a null or missing value is left out. */
export type TemplateValues = Readonly<Record<string, string | null>>

export type Tree = string | number | boolean | readonly Tree[] | { readonly [member: string]: Tree }

const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_.-]*)\}/g

export const placeholdersIn = (template: string): readonly string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)

/** Replaces each `{name}` by its encoded value; returns null if one has none. */
export function fill(
  template: string,
  values: TemplateValues,
  encode: (value: string) => string = value => value,
): string | null {
  let isComplete = true
  const text = template.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : null
    if (value === null || value === undefined) isComplete = false
    return encode(value ?? '')
  })
  return isComplete ? text : null
}

/** Fills in the texts of a tree. Members without a value are left out, and so are objects left empty. */
export function fillTree(tree: Tree, values: TemplateValues): Tree | null {
  if (typeof tree === 'string') return fill(tree, values)
  if (typeof tree !== 'object') return tree
  if (isList(tree)) return tree.flatMap(each => fillTree(each, values) ?? [])
  const members = Object.entries(tree).flatMap(([name, member]) => {
    const filled = fillTree(member, values)
    return filled === null ? [] : [[name, filled] as const]
  })
  return members.length === 0 && Object.keys(tree).length > 0 ? null : Object.fromEntries(members)
}

const isList = (tree: Tree): tree is readonly Tree[] => Array.isArray(tree)

/** Returns every text of a tree. */
export function textsIn(tree: Tree): readonly string[] {
  if (typeof tree === 'string') return [tree]
  return typeof tree === 'object' ? Object.values(tree).flatMap(textsIn) : []
}
