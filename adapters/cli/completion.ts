import { Command } from 'commander'
import { VERSION } from '../../core/version.ts'
import { CliError, EXIT } from './exit.ts'
import { printValue, write } from './output.ts'
import { example, type LazyCommand, type RunCommand, type Wiring } from './program.ts'

/** The words that may follow each command path, such as "tenant create". */
type Words = ReadonlyMap<string, readonly string[]>

const GLOBAL = [
  '--db',
  '--config',
  '--output',
  '--fields',
  '--quiet',
  '--verbose',
  '--no-color',
  '--no-input',
  '--help',
]

async function wordsOf(wiring: Wiring, commands: readonly LazyCommand[]): Promise<Words> {
  const words = new Map<string, string[]>([
    ['', commands.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]))],
  ])
  const visit = (path: string, command: Command): void => {
    const options = command.options.flatMap(({ long }) => (long ? [long] : []))
    words.set(path, [...command.commands.map(sub => sub.name()), ...new Set([...options, ...GLOBAL])])
    for (const sub of command.commands) visit(`${path} ${sub.name()}`, sub)
  }
  for (const { name, alias, load } of commands) {
    if (name === 'completion') continue
    const command = await load(given => given, wiring)
    visit(name, command)
    if (alias) visit(alias, command)
  }
  return words
}

const cases = (words: Words, line: (path: string, list: string) => string): string =>
  [...words].map(([path, list]) => line(path, list.join(' '))).join('\n')

const BASH = (words: Words): string => `# bash completion for trunkline: eval "$(trunkline completion bash)"
_trunkline() {
  local path="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ "$word" == -* ]] && break
    path="\${path:+$path }$word"
  done
  local words=""
  case "$path" in
${cases(words, (path, list) => `    "${path}") words="${list}" ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  return 0
}
complete -F _trunkline trunkline
`

const ZSH = (words: Words): string => `#compdef trunkline
# zsh completion for trunkline: eval "$(trunkline completion zsh)"
_trunkline() {
  local path="" i list
  for ((i = 2; i < CURRENT; i++)); do
    [[ "\${words[i]}" == -* ]] && break
    path="\${path:+$path }\${words[i]}"
  done
  case "$path" in
${cases(words, (path, list) => `    "${path}") list="${list}" ;;`)}
  esac
  compadd -- \${(s: :)list}
  [[ "$list" == "" ]] && _files
}
(( $+functions[compdef] )) && compdef _trunkline trunkline
`

const FISH = (words: Words): string => `# fish completion for trunkline: trunkline completion fish | source
function __trunkline_path
    set -l path
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and break
        set -a path $word
    end
    string join ' ' -- $path
end
${cases(words, (path, list) => `complete -c trunkline -n 'test "(__trunkline_path)" = "${path}"' -a '${list}'`).replaceAll(`test "(__trunkline_path)" = `, 'test (__trunkline_path | string collect -a) = ')}
`

const SHELLS: Readonly<Record<string, (words: Words) => string>> = { bash: BASH, zsh: ZSH, fish: FISH }

export async function completionCommand(
  run: RunCommand,
  wiring: Wiring,
  commands: readonly LazyCommand[],
): Promise<Command> {
  const command = new Command('completion')
    .description('print a completion script')
    .argument('<shell>', 'bash, zsh or fish')
  example(command, 'trunkline completion bash')
  return run(command, async (context, [shell = '']) => {
    const script = SHELLS[shell]
    if (!script) throw new CliError(EXIT.usage, `there is no completion for ${shell}`, 'choose from bash, zsh, fish')
    await write(context.io, script(await wordsOf(wiring, commands)))
  })
}

export async function versionCommand(run: RunCommand): Promise<Command> {
  const command = example(new Command('version').description('print the version'), 'trunkline version')
  return run(command, async context => {
    const versions = { trunkline: VERSION, node: process.versions.node }
    await printValue(context, versions, () => `trunkline ${VERSION} (Node.js ${process.versions.node})\n`)
  })
}
