import { Argument, Command } from 'commander'
import { VERSION } from '../../../core/version.ts'
import { CliError, EXIT } from '../exit.ts'
import { example } from '../help.ts'
import { suggests } from '../naming/suggestions.ts'
import type { LazyCommand, RunCommand, Wiring } from '../program.ts'
import { printValue } from '../terminal/output.ts'
import { writeLines } from '../terminal/streams.ts'
import { FILE, NAMES, type Words, wordsOf } from './completion-words.ts'

type Lists = ReadonlyMap<string, readonly string[]>

/** Groups keys by list: many commands share one. */
function grouped(lists: Lists): [list: string, keys: string[]][] {
  const groups = new Map<string, string[]>()
  for (const [key, words] of lists) {
    const list = words.join(' ')
    groups.set(list, [...(groups.get(list) ?? []), key])
  }
  return [...groups]
}

/**
 * Shell code for bash and zsh: cases of `$1`, a path and perhaps a flag, that set `list`; fails if nothing is known.
 */
const lookup = (lists: Lists, pattern: (key: string) => string): string =>
  grouped(lists)
    .map(([list, keys]) => `    ${keys.map(pattern).join('|')}) list="${list}" ;;`)
    .join('\n')

const lookups = ({ after, values, globals }: Words): string => `_trunkline_after() {
  case "$1" in
${lookup(after, path => `"${path}"`)}
    *) return 1 ;;
  esac
}
_trunkline_value() {
  case "$1" in
${lookup(values, key => `"${key}"`)}
${lookup(globals, flag => `*" ${flag}"`)}
    *) return 1 ;;
  esac
}
_trunkline_names() {
  [[ $list == ${NAMES}* ]] || return 0
  local names="\${list%% *}"
  list="\${list#"$names"}"
  names="\${names#${NAMES}}"
  [[ $1 == -* ]] || list+=" $(trunkline "\${names%%:*}" list --fields "\${names#*:}" ${LISTED} | tr '\\t' / | grep -E '${PLAIN}' | tr '\\n' ' ')"
}`

/** Options for listing names: quickly and without error messages. */
const LISTED = '--output table --limit 1000 --quiet 2>/dev/null'

/** A name that needs no quotes; bash would interpret others. */
const PLAIN = '^[[:alnum:]_@%+=:,./-]+$'

const BASH = (words: Words): string => `# bash completion for trunkline: eval "$(trunkline completion bash)"
${lookups(words)}
_trunkline() {
  local path="" i list="" current="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    _trunkline_value "$path \${COMP_WORDS[i - 1]}" && continue
    _trunkline_after "\${path:+$path }\${COMP_WORDS[i]}" && path="\${path:+$path }\${COMP_WORDS[i]}"
  done
  _trunkline_value "$path \${COMP_WORDS[COMP_CWORD - 1]}" || _trunkline_after "$path"
  _trunkline_names "$current"
  COMPREPLY=()
  if [[ $list == ${FILE}* && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$current")
  else
    COMPREPLY=($(compgen -W "\${list#${FILE}}" -- "$current"))
  fi
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
    _trunkline_value "$path_ \${words[i - 1]}" && continue
    _trunkline_after "\${path_:+$path_ }\${words[i]}" && path_="\${path_:+$path_ }\${words[i]}"
  done
  _trunkline_value "$path_ \${words[CURRENT - 1]}" || _trunkline_after "$path_"
  _trunkline_names "\${words[CURRENT]}"
  if [[ $list == ${FILE}* && \${words[CURRENT]} != -* ]]; then
    _files
  else
    compadd -- \${(s: :)list#${FILE}}
  fi
}
(( $+functions[compdef] )) && compdef _trunkline trunkline
`

const fishLookup = (lists: Lists, pattern: (key: string) => string): string =>
  grouped(lists)
    .map(([list, keys]) => `        case ${keys.map(pattern).join(' ')}\n            ${fishList(list)}`)
    .join('\n')

function fishList(list: string): string {
  const words = list.replace(FILE, '').trim()
  const print = words === '' ? 'true' : `string split ' ' -- '${words}'`
  return list.startsWith(FILE) ? `__fish_complete_path (commandline -ct); ${print}` : print
}

const FISH = ({
  after,
  values,
  globals,
}: Words): string => `# fish completion for trunkline: trunkline completion fish | source
function __trunkline_after
    switch "$argv"
${fishLookup(after, path => `'${path}'`)}
        case '*'
            return 1
    end
    return 0
end
function __trunkline_value
    switch "$argv"
${fishLookup(values, key => `'${key}'`)}
${fishLookup(globals, flag => `'${flag}' '* ${flag}'`)}
        case '*'
            return 1
    end
    return 0
end
function __trunkline_names
    while read -l word
        if not string match -q -- '${NAMES}*' $word
            printf '%s\\n' $word
        else if not string match -q -- '-*' (commandline -ct)
            set -l names (string split : -- (string sub -s 2 -- $word))
            trunkline $names[1] list --fields $names[2] ${LISTED} | string replace -a \\t / | string match -r '${PLAIN}'
        end
    end
end
function __trunkline_complete
    set -l given (commandline -opc)
    set -l path
    set -l before
    for word in $given[2..-1]
        if not __trunkline_value $path $before >/dev/null; and __trunkline_after $path $word >/dev/null
            set -a path $word
        end
        set before $word
    end
    begin
        __trunkline_value $path $before; or __trunkline_after $path
    end | __trunkline_names
end
complete -c trunkline -f -a '(__trunkline_complete)'
`

const SHELLS: Readonly<Record<string, (words: Words) => string>> = { bash: BASH, zsh: ZSH, fish: FISH }

export async function completionCommand(
  run: RunCommand,
  wiring: Wiring,
  commands: readonly LazyCommand[],
): Promise<Command> {
  const command = new Command('completion')
    .description('print a completion script, whose first lines say how to load it')
    .addArgument(suggests(new Argument('<shell>', Object.keys(SHELLS).join(', ')), Object.keys(SHELLS)))
  example(command, 'trunkline completion bash')
  return run(command, async (context, [shell = '']) => {
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
    if (!script)
      throw new CliError(
        EXIT.usage,
        `there is no completion for ${shell}; there is for ${Object.keys(SHELLS).join(', ')}`,
      )
    await writeLines(
      context.io,
      script(await wordsOf(command.parent ?? command, wiring, commands))
        .trimEnd()
        .split('\n'),
    )
  })
}

export async function versionCommand(run: RunCommand): Promise<Command> {
  const command = example(new Command('version').description('print the version'), 'trunkline version')
  return run(command, async context => {
    const versions = { trunkline: VERSION, node: process.versions.node }
    await printValue(context, versions, () => [`trunkline ${VERSION} (Node.js ${process.versions.node})`])
  })
}
