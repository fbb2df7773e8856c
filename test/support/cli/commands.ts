import type { Command } from 'commander'
import { commands } from '../../../adapters/cli/commands/commands.ts'
import { wiringFor } from '../../../bin/command-line.ts'
import type { Workplace } from './cli.ts'

const leaves = (command: Command, path: string): [path: string, command: Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap(sub => leaves(sub, `${path} ${sub.name()}`))

/** Every command that does something, by its path: `tenant create`. */
export async function allCommands(): Promise<[path: string, command: Command][]> {
  const all: [string, Command][] = []
  for (const { name, load } of commands) all.push(...leaves(await load(given => given, wiringFor({})), name))
  return all
}

/** The command lines that the help of a command shows. */
export async function examplesOf(place: Workplace, path: string): Promise<string[]> {
  const help = await place.done(`trunkline ${path} --help`)
  const [, examples = ''] = help.split(/^Examples?:\n/m)
  return examples
    .replaceAll(/ \\\n\s*/g, ' ')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}
