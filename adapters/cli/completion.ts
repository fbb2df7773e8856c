import { Command } from 'commander'
import { VERSION } from '../../core/version.ts'
import { CliError, EXIT } from './exit.ts'
import { example } from './help.ts'
import { printValue, write } from './output.ts'
import type { LazyCommand, RunCommand, Wiring } from './program.ts'

/** The words that may follow each command path, such as "tenant create", and the values of options with choices. */
interface Words {
  readonly after: ReadonlyMap<string, readonly string[]>
  readonly values: ReadonlyMap<string, readonly string[]>
}

async function wordsOf(program: Command, wiring: Wiring, commands: readonly LazyCommand[]): Promise<Words> {
  const top = commands.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]))
  const after = new Map<string, readonly string[]>([['', [...top, 'help']]])
  const values = new Map<string, readonly string[]>()
  const noteValues = (command: Command): void => {
    for (const { long, short, argChoices } of command.options)
      for (const flag of [long, short]) if (flag && argChoices) values.set(flag, argChoices)
  }
  const global = [...program.options.flatMap(({ long }) => long ?? []), '--help']
  const visit = (path: string, command: Command): void => {
    noteValues(command)
    const options = command.options.flatMap(({ long }) => long ?? [])
    const shells = path === 'completion' ? Object.keys(SHELLS) : []
    const subs = command.commands.map(sub => sub.name())
    after.set(path, [...shells, ...subs, ...new Set([...options, ...global])])
    for (const sub of command.commands) visit(`${path} ${sub.name()}`, sub)
  }
  noteValues(program)
  for (const { name, alias, load } of commands) {
    const command = await load(given => given, wiring)
    visit(name, command)
    if (alias) visit(alias, command)
  }
  return { after, values }
}

const cases = (words: ReadonlyMap<string, readonly string[]>, line: (key: string, list: string) => string): string =>
  [...words].map(([key, list]) => line(key, list.join(' '))).join('\n')

/** The same for bash and zsh: a case of `$1`, which sets `list`; false where nothing is known. */
const lookups = ({ after, values }: Words): string => `_trunkline_after() {
  case "$1" in
${cases(after, (path, list) => `    "${path}") list="${list}" ;;`)}
    *) return 1 ;;
  esac
}
_trunkline_values() {
  case "$1" in
${cases(values, (flag, list) => `    ${flag}) list="${list}" ;;`)}
    *) return 1 ;;
  esac
}`

const BASH = (words: Words): string => `# bash completion for trunkline: eval "$(trunkline completion bash)"
${lookups(words)}
_trunkline() {
  local path="" word i list="" current="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    _trunkline_after "\${path:+$path }$word" && path="\${path:+$path }$word"
  done
  _trunkline_values "\${COMP_WORDS[COMP_CWORD - 1]}" || _trunkline_after "$path"
  COMPREPLY=($(compgen -W "$list" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$current"))
  return 0
}
complete -F _trunkline trunkline
`

const ZSH = (words: Words): string => `#compdef trunkline
# zsh completion for trunkline: eval "$(trunkline completion zsh)"
${lookups(words)}
_trunkline() {
  local path_="" i list=""
  for ((i = 2; i < CURRENT; i++)); do
    _trunkline_after "\${path_:+$path_ }\${words[i]}" && path_="\${path_:+$path_ }\${words[i]}"
  done
  _trunkline_values "\${words[CURRENT - 1]}" || _trunkline_after "$path_"
  compadd -- \${(s: :)list} || _files
}
(( $+functions[compdef] )) && compdef _trunkline trunkline
`

const FISH = ({ after, values }: Words): string => `# fish completion for trunkline: trunkline completion fish | source
function __trunkline_words
    switch "$argv"
${cases(after, (path, list) => `        case '${path}'\n            string split ' ' -- '${list}'`)}
        case '*'
            return 1
    end
end
function __trunkline_values
    switch "$argv"
${cases(values, (flag, list) => `        case '${flag}'\n            string split ' ' -- '${list}'`)}
        case '*'
            return 1
    end
end
function __trunkline_complete
    set -l given (commandline -opc)
    __trunkline_values $given[-1]; and return
    set -l path
    for word in $given[2..-1]
        __trunkline_words $path $word >/dev/null; and set -a path $word
    end
    __trunkline_words $path
end
complete -c trunkline -a '(__trunkline_complete)'
`

const SHELLS: Readonly<Record<string, (words: Words) => string>> = { bash: BASH, zsh: ZSH, fish: FISH }

export async function completionCommand(
  run: RunCommand,
  wiring: Wiring,
  commands: readonly LazyCommand[],
): Promise<Command> {
  const command = new Command('completion')
    .description('print a completion script')
    .argument('<shell>', Object.keys(SHELLS).join(', '))
  example(command, 'trunkline completion bash')
  return run(command, async (context, [shell = '']) => {
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
    if (!script)
      throw new CliError(
        EXIT.usage,
        `there is no completion for ${shell}; there is for ${Object.keys(SHELLS).join(', ')}`,
      )
    await write(context.io, script(await wordsOf(command.parent ?? command, wiring, commands)))
  })
}

export async function versionCommand(run: RunCommand): Promise<Command> {
  const command = example(new Command('version').description('print the version'), 'trunkline version')
  return run(command, async context => {
    const versions = { trunkline: VERSION, node: process.versions.node }
    await printValue(context, versions, () => `trunkline ${VERSION} (Node.js ${process.versions.node})\n`)
  })
}
