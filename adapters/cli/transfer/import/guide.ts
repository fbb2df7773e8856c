import { basename, dirname, join } from 'node:path'
import type { Fix } from '../../../../core/transfer/failure.ts'
import type { Guide, OptionName } from '../../../../core/transfer/guide.ts'
import { quoted } from '../../command-line.ts'
import { again, type Hint } from '../../exit.ts'

const flagOf = (option: OptionName): string => `--${option.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

/** What to tell the person who imports, in terms of flags. */
export const FLAGS: Guide = {
  name: (option, value) => (value === undefined ? flagOf(option) : `${flagOf(option)} ${value}`),
  strangeColumn: column => `Name it with --map, or ignore it with --map ${quoted(`${column}=`)}`,
  missingColumn: field => (field === 'tenant_id' ? 'give --tenant' : `name it with --map, or give --set ${field}=…`),
  restart: '--no-resume',
}

/** Returns the command that resumes an import. */
export const resuming: Hint = line => again('--resume')(line.filter(word => word !== '--no-resume'))

/** Returns the command that would fix the input of that name, if there is one. */
export function hintOf(fix: Fix, name: string): Hint | undefined {
  if (fix.kind === 'resume') return resuming
  if (fix.kind === 'convert') return conversion(name, fix.from)
  return again(flagOf(fix.option), ...(fix.value === undefined ? [] : [fix.value]))
}

/** Returns the command that makes a copy in UTF-8; none for what is not a file. */
const conversion = (name: string, from: string): string | undefined =>
  name === '-' || name.startsWith('/dev/')
    ? undefined
    : `iconv -f ${from} -t UTF-8 ${quoted(name)} > ${quoted(join(dirname(name), `utf-8-${basename(name)}`))}`
