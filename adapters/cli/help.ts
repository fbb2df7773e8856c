import { type Command, Help, type HelpConfiguration } from 'commander'

/** An explanation starts on its own line if the term is wider. */
const TERM_WIDTH = 32

const standard = new Help()

/** Adds the other usual word for a command as an alias. */
export function alsoCalled(command: Command): Command {
  const other = OTHER_WORDS[command.name()]
  return other === undefined ? command : command.alias(other)
}

const OTHER_WORDS: Readonly<Record<string, string>> = {
  create: 'add',
  add: 'create',
  delete: 'remove',
  remove: 'delete',
}

const subcommandTerm = (command: Command): string =>
  [
    [command.name(), ...command.aliases()].join(', '),
    ...command.registeredArguments.map(argument =>
      argument.required ? `<${argument.name()}>` : `[${argument.name()}${argument.variadic ? '...' : ''}]`,
    ),
  ].join(' ')

/** Lays out help so that no line is wider than the terminal, which would break words. */
export const layout: HelpConfiguration = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  subcommandTerm,
  padWidth: (command, helper) => Math.min(TERM_WIDTH, standard.padWidth(command, helper)),
  formatItem(term, width, about, helper) {
    const format = (shown: string): string => standard.formatItem.call(this, shown, width, about, helper)
    return helper.displayWidth(term) > width && about !== '' ? `  ${term}\n${format('')}` : format(term)
  },
}

/** Adds example command lines to the help. A line wider than the terminal continues below in shell syntax. */
export const example = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80
    return `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.map(line => continued(line, width)).join('\n')}`
  })

/** An option stays with its value. */
const PARTS = /(?:-\S+ (?!-))?(?:'[^']*'|[^\s'])+/g

function continued(line: string, width: number): string {
  const [first = '', ...words] = line.match(PARTS) ?? []
  const lines = [`  ${first}`]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (`${longer} \\`.length > width) lines.push(`    ${word}`)
    else lines[lines.length - 1] = longer
  }
  return lines.join(' \\\n')
}
