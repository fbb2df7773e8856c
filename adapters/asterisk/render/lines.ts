import { asName, REFUSED, type RefusedBy } from './refused.ts'

/**
 * Renders one extension of a dialplan: its first step has priority 1. A step that begins with `(label)` has that
 * label.
 */
export function exten(pattern: string, ...steps: readonly string[]): string {
  const line = (step: string, index: number): string => {
    const [, label = '', app = step] = /^(\([a-z0-9]+\))(.*)$/s.exec(step) ?? []
    return index === 0 ? `exten => ${pattern},1${label},${app}` : `same => n${label},${app}`
  }
  return steps.map(line).join('\n')
}

/** Renders a section of a configuration file, followed by an empty line; the name may end in `(template)`. */
export const section = (name: string, lines: readonly (string | null)[]): string =>
  `${[`[${name.replace('(', '](')}${name.endsWith(')') ? '' : ']'}`, ...lines.filter(line => line !== null)].join('\n')}\n\n`

/** What is not on the switch, and why: `of` names the record as the command line does. */
export interface LeftOut {
  readonly of: string
  readonly why: string
}

/**
 * Returns the context of the lines of outgoing calls. A line is a Local channel: its first half may be transferred, while
 * the second keeps the carrier's leg, with its limits and its record, until that ends.
 */
export const lineOf = (slug: string): string => `line-${slug}`
/** The name of a half of a line: the extension that the call is billed to, the context and which half. */
export const LINE = /^Local\/([+*#0-9]+)@(.+)-[0-9a-f]{8,};([12])$/

/** The variable of both halves of a line: the number that it calls, by which limits, rates and routes are found. */
export const ON_LINE = 'TL_LINE'

/** What phones dial, as a pattern. */
export const DIALLED = '_[+*#0-9]!'

/** Names a part of a context, with a sign that no slug has: another tenant's slug may end as this one's part would. */
export const partOf = (context: string, part: string | number): string => `${context}+${part}`

/**
 * Returns the slug for names that Asterisk compares regardless of case: of queues, mailboxes and groups. Two slugs may
 * differ in their capitals alone.
 */
export function caseless(slug: string): string {
  const capitals = [...slug].flatMap((sign, place) => (sign === sign.toLowerCase() ? [] : [place]))
  return capitals.length === 0 ? slug : `${slug}+${capitals.join('.')}`
}

export const contexts = (slug: string) => ({
  /** The context of phones. */
  telephones: `tenant-${slug}`,
  start: `start-${slug}`,
  caller: `caller-${slug}`,
  begin: `begin-${slug}`,
  inside: `inside-${slug}`,
  dids: `did-${slug}`,
  out: `out-${slug}`,
  /** Where a channel leaves for the line of its outgoing call, and where that begins. */
  leave: `leave-${slug}`,
  line: lineOf(slug),
  short: `short-${slug}`,
  emergency: `emergency-${slug}`,
  paid: `paid-${slug}`,
  permitted: `permit-${slug}`,
  rated: `rated-${slug}`,
  ratedShort: `ratedshort-${slug}`,
  spent: `spent-${slug}`,
  routes: `route-${slug}`,
  trunks: `trunks-${slug}`,
  voicemail: `tenant-${caseless(slug)}`,
})
export type Contexts = ReturnType<typeof contexts>

/** Begins with a character that no slug begins with, so that no trunk has the name of a phone. */
export const trunkId = (name: string): string => `_${name}`
export const endpointId = (slug: string, number: string): string => `${slug}-${number}`
export const queueName = (slug: string, number: string): string => `${caseless(slug)}-${number}`

/** Returns the step that refuses a call. */
export const refuse = (reason: RefusedBy): string => `Goto(${REFUSED},${asName(reason)},1)`
export const refuseIf = (condition: string, reason: RefusedBy): string =>
  `GotoIf(${condition}?${REFUSED},${asName(reason)},1)`

/** Renders a table in which the longest matching prefix decides. */
export const prefixTable = (ways: ReadonlyMap<string, string>, otherwise: string): string[] => [
  ...[...ways].flatMap(([prefix, step]) => (/^[0-9]+$/.test(prefix) ? [exten(`_+${prefix}!`, step)] : [])),
  exten('_+!', ways.get('') ?? otherwise),
]

/** Phones and carriers can dial no more characters than these; the first may be a plus. */
export const DIALLED_LENGTHS = Array.from({ length: 31 }, (_, index) => index + 1)

/** Renders the step to the context that reads what was dialled; `name` is the beginning of such contexts. */
export const toReader = (name: string): string => `Goto(${name}-\${LEN(\${EXTEN})},\${EXTEN},1)`
