import { withoutPassword } from '../../core/database-address.ts'
import { resources } from '../../core/resources/all.ts'
import { SECRET_MARK } from '../../core/resources/values/secret-mark.ts'
import { flagOf } from './fields.ts'

const SECRETS = resources.flatMap(({ fields }) =>
  Object.entries(fields).flatMap(([name, field]) => (field.secret ? [{ name, flag: `--${flagOf(name, field)}` }] : [])),
)
const FLAGS = new Set(SECRETS.map(({ flag }) => flag))
/** `--secret=…`, or the value of --set: `secret=…`. */
const GIVEN = new RegExp(`^((?:${SECRETS.map(({ name, flag }) => `${flag}|(?:--set=)?${name}`).join('|')})=).*`, 's')

/** Returns the words of a command line with secret values masked. */
export const masked = (line: readonly string[]): string[] =>
  line.map((word, i) =>
    FLAGS.has(line[i - 1] ?? '')
      ? SECRET_MARK
      : word
          .replace(GIVEN, `$1${SECRET_MARK}`)
          .replace(/^(--db=)?(.*)$/s, (_, flag: string = '', value: string) => flag + withoutPassword(value)),
  )
