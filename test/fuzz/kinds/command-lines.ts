import { writeFileSync } from 'node:fs'
import type { Argument, Command, Option } from 'commander'
import fc from 'fast-check'
import { commands } from '../../../adapters/cli/commands/commands.ts'
import { wiringFor } from '../../../bin/command-line.ts'
import type { Here } from '../here.ts'
import type { Kind } from '../kind.ts'
import { hostileText } from '../mutate.ts'

/** Commands that do not end by themselves, and those that destroy the database of the others. */
const LEFT_OUT = new Set(['serve', 'restore'])
/** Commands that wait for events. */
const WAITING = /--(?:wait|follow|watch)\b/
/** Where files are read or written: never at a generated path. */
const PLACED = /file|path|dir|folder|\bout\b|--db|config|FILE|PATH/i

const safe = (text: string): boolean => !/[/'\0]|\.\./.test(text)

const words = fc.oneof(
  fc.constantFrom(
    ...['acme', 'acme/101', 'acme/800', '101', '1', '0', '-1', '2', '+380441234567', '380', 'Jasmin', 'Acme Ltd'],
    ...['yes', 'no', 'active', '2026-10-01', '2026-13-45', '12:00', 'UTC', 'UA', '0.0123', '1e3', '5000', 'name,slug'],
    ...['id', 'admin@example.com', 'outbound', 'jasmin', 'ringall', '{}', '[]', '{"a":1}', 'a=b', '=', '-', '--', ''],
  ),
  hostileText.filter(safe),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter(safe),
)

const GLOBAL = [
  ...[
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '--output json',
    '--output json',
    '--output ndjson',
    '--verbose',
    '--quiet',
    '--fields id',
    '--yes',
    '--help',
  ],
]

/** Every command that does something, with the words that call it. */
async function leaves(): Promise<{ readonly line: string; readonly command: Command }[]> {
  const found: { line: string; command: Command }[] = []
  const visit = (line: string, command: Command): void => {
    if (LEFT_OUT.has(command.name())) return
    if (command.commands.length === 0) found.push({ line, command })
    for (const each of command.commands) visit(`${line} ${each.name()}`, each)
  }
  const wiring = wiringFor({})
  for (const { name, load } of commands) visit(name, await load(command => command, wiring))
  return found
}

const quoted = (word: string): string => `'${word}'`

/** A line of that command. `files` are the files it may read and write. */
function linesOf(line: string, command: Command, files: readonly string[]): fc.Arbitrary<string> {
  const placed = fc.constantFrom(...files)
  const wordFor = (name: string): fc.Arbitrary<string> => (PLACED.test(name) ? placed : words)
  const operandOf = (argument: Argument): fc.Arbitrary<string> => wordFor(argument.name()).map(quoted)
  const flagOf = ({ flags, long, short, argChoices, required, optional }: Option): fc.Arbitrary<string> => {
    const name = long ?? short ?? ''
    if (!required && !optional) return fc.constant(name)
    // A gateway must point to nobody: no port of this machine belongs to somebody else.
    if (/--server-(?:host|port)/.test(name)) return fc.constant(`${name}=${name.endsWith('port') ? '9' : '127.0.0.1'}`)
    const values = argChoices ? fc.oneof(fc.constantFrom(...argChoices), words) : wordFor(flags)
    return values.map(value => `${name}=${quoted(value)}`)
  }
  const options = command.options.filter(({ flags }) => !WAITING.test(flags)).map(flagOf)
  const operands = fc.tuple(...command.registeredArguments.map(operandOf))
  return fc
    .tuple(
      operands,
      options.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...options), { maxLength: 5 }),
      fc.constantFrom(...GLOBAL),
      fc.oneof(
        { weight: 8, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(words.map(quoted), { maxLength: 2 }) },
      ),
    )
    .map(parts => ['trunkline', line, ...parts.flat()].join(' '))
}

/** Command lines of every command, with valid and invalid operands and flags. */
export async function commandLines({ place, subject, run }: Here): Promise<Kind> {
  const files = ['rows.csv', 'rows.json', 'none.csv', 'made.csv', ''].map(name => place.path(name))
  const lines = fc.oneof(...(await leaves()).map(({ line, command }) => linesOf(line, command, files)))
  return {
    name: 'command lines',
    count: 60,
    rowsPerInput: 8,
    subject,
    play: async (seed, count) => {
      writeFileSync(place.path('rows.csv'), 'name,slug\nOne,one\n')
      writeFileSync(place.path('rows.json'), '[{"prefix":"44","destination":"UK","cost_per_minute":"0.01"}]')
      const [problems, before]: [string[], string] = [[], process.cwd()]
      // Files written under a name without a folder.
      process.chdir(place.folder)
      for (const line of fc.sample(lines, { seed, numRuns: count })) {
        const problem = await run(line, 'kW3-9fQm-Zt81\n')
        if (problem) problems.push(problem)
      }
      process.chdir(before)
      return problems
    },
  }
}
