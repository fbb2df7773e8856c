import type { Argument, Command, Option } from 'commander'
import { resourceNamed } from '../../../core/resources/all.ts'
import { isNamed } from '../../../core/resources/resource.ts'
import { quoted } from '../command-line.ts'
import { referenceForm } from '../naming/references.ts'
import { RESOURCE_COMMANDS } from '../naming/resource-names.ts'
import { suggestionsFor } from '../naming/suggestions.ts'
import type { LazyCommand, Wiring } from '../program.ts'

/** Among words: stands for the name of a file or folder. */
export const FILE = '@'

/**
 * The first of words: stands for the names of the records that this command lists, built from these fields and joined
 * by slashes.
 */
export const NAMES = '%'

const namesBy = (command: string, resource: string): string =>
  `${NAMES}${command}:${resourceNamed(resource).key.map(field => field.replace(/_id$/, ''))}`

/** Commands that list record names, by the form in which help writes such names. */
const RECORDS: ReadonlyMap<string, string> = new Map([
  ['TENANT', namesBy('tenant', 'tenants')],
  ...RESOURCE_COMMANDS.filter(({ resource }) => isNamed(resourceNamed(resource))).map(
    ({ name, resource }) => [referenceForm(resourceNamed(resource)), namesBy(name, resource)] as const,
  ),
])

/** What may follow on a command line, as lists of words. An empty list means unknown. */
export interface Words {
  /** By command path, such as "tenant create": its commands, the values of its arguments, its flags. */
  readonly after: ReadonlyMap<string, readonly string[]>
  /** For flags with a value: by path and flag, such as "tenant create --status". */
  readonly values: ReadonlyMap<string, readonly string[]>
  /** The same for global flags, by flag alone. */
  readonly globals: ReadonlyMap<string, readonly string[]>
}

const IS_FILE = /^(?:file|dir|database)\b/i

/** A list can hold only words that need no quotes. */
const listed = (parameter: Argument | Option): string[] =>
  suggestionsFor(parameter).filter(word => quoted(word) === word)

function namesOf(form: string): string[] | undefined {
  const names = RECORDS.get(form)
  return names === undefined ? undefined : [names]
}

function valuesOf(option: Option): readonly string[] {
  const [, name = ''] = /[<[](.*)[>\]]/.exec(option.flags) ?? []
  return IS_FILE.test(name) ? [FILE] : (namesOf(name) ?? listed(option))
}

const flagsOf = ({ long, short }: Option): string[] => [long, short].flatMap(flag => flag ?? [])

const valued = (command: Command): [flag: string, values: readonly string[]][] =>
  command.options
    .filter(({ required, optional }) => required || optional)
    .flatMap(option => flagsOf(option).map((flag): [string, readonly string[]] => [flag, valuesOf(option)]))

/** Loads every command. */
export async function wordsOf(program: Command, wiring: Wiring, commands: readonly LazyCommand[]): Promise<Words> {
  const top = commands.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]))
  const after = new Map<string, readonly string[]>([['', [...top, 'help']]])
  const values = new Map<string, readonly string[]>()
  const global = [...program.options.flatMap(({ long }) => long ?? []), '--help']
  const visit = (path: string, command: Command): void => {
    for (const [flag, words] of valued(command)) values.set(`${path} ${flag}`, words)
    const positional = command.registeredArguments
    const files = positional.some(argument => IS_FILE.test(argument.name())) ? [FILE] : []
    const names = positional.flatMap(argument => namesOf(argument.name()) ?? []).slice(0, 1)
    const subs = command.commands.map(sub => sub.name())
    const flags = command.options.flatMap(({ long }) => long ?? [])
    after.set(path, [...names, ...files, ...positional.flatMap(listed), ...subs, ...new Set([...flags, ...global])])
    for (const sub of command.commands) for (const name of [sub.name(), ...sub.aliases()]) visit(`${path} ${name}`, sub)
  }
  for (const { name, alias, load } of commands) {
    const command = await load(loaded => loaded, wiring)
    visit(name, command)
    if (alias) visit(alias, command)
  }
  return { after, values, globals: new Map(valued(program)) }
}
