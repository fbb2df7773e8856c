/** The command line as words: what is read before parsing, and how to write it for a person to copy. */

const VALUED = new Set(['--db', '--config', '--output', '-o', '--fields'])
const PLAIN = new Set(['--quiet', '-q', '--verbose', '-v', '--no-color', '--no-input'])
const HELP = new Set(['--help', '-h'])

export interface Intent {
  /** The words before a command's first option: its path, and possibly arguments. */
  readonly words: readonly string[]
  /** True if help is requested without a complete command: `help tenant create`, `--help tenant`, or an empty line. */
  readonly wantsHelp: boolean
}

/** Reads what a command line is about. Global options and their values may be anywhere. */
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

/**
 * True if the output is to be JSON. Checked before parsing, since errors of a line that cannot be parsed are printed
 * as well.
 */
export const wantsJson = (line: readonly string[]): boolean =>
  line.some(
    (word, i) =>
      /^(?:--output=|-o=?)(?:nd)?json$/.test(word) ||
      ((word === '--output' || word === '-o') && /^(?:nd)?json$/.test(line[i + 1] ?? '')),
  )

/** Quotes a word for a shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

export const typed = (line: readonly string[]): string => ['trunkline', ...line].map(quoted).join(' ')
