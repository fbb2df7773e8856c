import { Value } from 'typebox/value'
import { type Profile, profileSchema } from './schema.ts'
import { PLACEHOLDERS, placeholdersIn, type Tree, textsIn } from './template.ts'

/** What is wrong with a profile, and where: `request.fields.To`. */
export interface ProfileFault {
  readonly path: string
  readonly problem: string
}

/** Returns the parsed profile, or everything that is wrong with it. */
export function checkProfile(
  parsed: unknown,
): { readonly profile: Profile } | { readonly faults: readonly ProfileFault[] } {
  if (!Value.Check(profileSchema, parsed)) {
    const faults = Value.Errors(profileSchema, parsed).map(({ instancePath, keyword, message }) => ({
      path: instancePath.slice(1).replaceAll('/', '.'),
      problem: keyword === 'boolean' ? 'is not a member of a profile' : message,
    }))
    return { faults }
  }
  const faults = [...unknownPlaceholders(parsed), ...brokenPatterns(parsed), ...nestedFields(parsed)]
  return faults.length > 0 ? { faults } : { profile: parsed }
}

function unknownPlaceholders({ account, request, setup }: Profile): ProfileFault[] {
  const placeholders = new Set<string>([...PLACEHOLDERS, ...account.map(({ key }) => `account.${key}`)])
  const trees: readonly (readonly [string, Tree])[] = [
    ['request.path', request.path],
    ['request.fields', request.fields],
    ['request.unicode.set', request.unicode?.set ?? {}],
    ['request.headers', request.headers ?? {}],
    ['request.auth.value', request.auth.kind === 'header' ? request.auth.value : ''],
    ['setup', setup],
  ]
  return trees.flatMap(([path, tree]) =>
    textsIn(tree)
      .flatMap(placeholdersIn)
      .filter(name => !placeholders.has(name))
      .map(name => ({ path, problem: `names {${name}}, which is none of ${[...placeholders].join(', ')}` })),
  )
}

/** Refuses patterns that are invalid, and those that a hostile reply could make run forever. */
function brokenPatterns({ reply, receipt }: Profile): ProfileFault[] {
  const patterns = [
    ...(reply.tests ?? []).map(test => ['reply.tests', test.matches] as const),
    ...(receipt.require ?? []).map(test => ['receipt.require', test.matches] as const),
    ...[...reply.error, ...(reply.id === 'none' ? [] : [reply.id])].map(
      place => ['reply', 'pattern' in place ? place.pattern : undefined] as const,
    ),
  ]
  return patterns.flatMap(([path, pattern]) => {
    if (pattern === undefined) return []
    try {
      new RegExp(pattern, 'u')
    } catch {
      return [{ path, problem: `is not a regular expression: ${pattern}` }]
    }
    return NESTED_REPETITION.test(pattern)
      ? [{ path, problem: `has a repetition inside a repetition, which can take very long: ${pattern}` }]
      : []
  })
}

const NESTED_REPETITION = /\([^()]*[+*][^()]*\)[+*{]/

/** Forms and queries cannot nest objects. */
function nestedFields({ request: { encoding, fields } }: Profile): ProfileFault[] {
  if (encoding === 'json') return []
  return Object.entries(fields)
    .filter(([, value]) => typeof value === 'object')
    .map(([name]) => ({ path: `request.fields.${name}`, problem: `must be a text: the encoding is ${encoding}` }))
}
