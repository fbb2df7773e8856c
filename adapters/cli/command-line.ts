/** The command line as words: what is read from it before it is parsed, and how it is written for a person to copy. */

const VALUED = new Set(['--db', '--config', '--output', '-o', '--fields'])
const PLAIN = new Set(['--quiet', '-q', '--verbose', '-v', '--no-color', '--no-input'])
const HELP = new Set(['--help', '-h'])

export interface Intent {
  /** The words before the first option of a command: its path, and perhaps arguments. */
  readonly words: readonly string[]
  /** Help is asked for before the command is complete: `help tenant create`, `--help tenant`, or the line is empty. */
  readonly wantsHelp: boolean
}

/** What a command line is about. Global options and their values may stand anywhere. */
export function intentOf(line: readonly string[]): Intent {
  const words: string[] = []
  let wantsHelp = false
  for (let i = 0; i < line.length; i++) {
    const word = line[i] ?? ''
    if (VALUED.has(word)) i++
    else if (HELP.has(word) || (word === 'help' && words.length < 2)) wantsHelp = true
    else if (!word.startsWith('-') || word === '-') words.push(word)
    else if (!PLAIN.has(word) && !/^--(db|config|output|fields)=/.test(word)) break
  }
  return { words, wantsHelp: wantsHelp || line.length === 0 }
}

/** Is data asked for as JSON? Read before parsing, since a line that cannot be parsed has errors to print as well. */
export const wantsJson = (line: readonly string[]): boolean =>
  line.some(
    (word, i) =>
      /^(?:--output=|-o=?)(?:nd)?json$/.test(word) ||
      ((word === '--output' || word === '-o') && /^(?:nd)?json$/.test(line[i + 1] ?? '')),
  )

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

export const typed = (line: readonly string[]): string => ['trunkline', ...line].map(quoted).join(' ')
