/** One extension of a dialplan: its first step has priority 1. A step that begins `(label)` has that label. */
export function exten(pattern: string, ...steps: readonly string[]): string {
  const line = (step: string, index: number): string => {
    const [, label = '', app = step] = /^(\([a-z0-9]+\))(.*)$/s.exec(step) ?? []
    return index === 0 ? `exten => ${pattern},1${label},${app}` : `same => n${label},${app}`
  }
  return steps.map(line).join('\n')
}

/** A section of a configuration file, with an empty line behind it; the name may be followed by `(template)`. */
export const section = (name: string, lines: readonly (string | null)[]): string =>
  `${[`[${name.replace('(', '](')}${name.endsWith(')') ? '' : ']'}`, ...lines.filter(line => line !== null)].join('\n')}\n\n`

/** What is not on the switch, and why: `of` names the record as the command line does. */
export interface LeftOut {
  readonly of: string
  readonly why: string
}

export const contexts = (slug: string) => ({
  /** Of the telephones. */
  telephones: `tenant-${slug}`,
  start: `start-${slug}`,
  caller: `caller-${slug}`,
  begin: `begin-${slug}`,
  inside: `inside-${slug}`,
  dids: `did-${slug}`,
  out: `out-${slug}`,
  short: `short-${slug}`,
  emergency: `emergency-${slug}`,
  paid: `paid-${slug}`,
  permitted: `permit-${slug}`,
  rated: `rated-${slug}`,
  ratedShort: `ratedshort-${slug}`,
  routes: `route-${slug}`,
  trunks: `trunks-${slug}`,
  voicemail: `tenant-${slug}`,
})
export type Contexts = ReturnType<typeof contexts>

/** Begins with what no slug begins with, so that no trunk has the name of a telephone. */
export const trunkId = (name: string): string => `_${name}`
export const endpointId = (slug: string, number: string): string => `${slug}-${number}`

/** The step that refuses a call; its name is an extension of the context of refusals. */
export const refuse = (reason: keyof typeof REFUSED): string => `Goto(tl-refused,${reason},1)`
export const refuseIf = (condition: string, reason: keyof typeof REFUSED): string =>
  `GotoIf(${condition}?tl-refused,${reason},1)`

/** What a telephone or carrier is told, as causes of Q.850. */
export const REFUSED = {
  caller: 21,
  inactive: 20,
  number: 1,
  did: 1,
  prefix: 21,
  rate: 21,
  limit: 21,
  trunk: 34,
} as const

/** Of the prefixes that fit a number, the longest decides. */
export const prefixTable = (ways: ReadonlyMap<string, string>, otherwise: string): string[] => [
  ...[...ways].flatMap(([prefix, step]) => (/^[0-9]+$/.test(prefix) ? [exten(`_+${prefix}!`, step)] : [])),
  exten('_+!', ways.get('') ?? otherwise),
]
