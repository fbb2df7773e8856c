import type { Command } from 'commander'
import { type FieldErrors, invalid } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Resource, Row } from '../../core/resources/resource.ts'
import { broken } from '../../core/resources/values/field-errors.ts'
import { parseMembers } from '../../core/resources/values/input.ts'
import { readFields, type Unread, unreadIn, unreadProblem } from '../../core/resources/values/unread.ts'
import { type Edits, withEdits } from '../../core/use-cases/records/administer.ts'
import { type Context, say } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import { type Flags, flagOf } from './fields.ts'

export const FORCE = 'store values even if no rule can read them'

/** Values that the API stores but no rule can read: typed by a person, they are probably a mistake. */

interface Change {
  readonly body: JsonObject
  readonly edits: Edits
  readonly flags: Flags
}

export const forceOption = (command: Command, resource: Resource): Command =>
  readFields(resource).length > 0 ? command.option('--force', FORCE) : command

const isSame = (one: Unread, other: Unread): boolean =>
  one.field === other.field && one.problem === other.problem && one.path.join('.') === other.path.join('.')

/** Finds more values of a record that a person probably did not mean. */
type More = (values: Row) => readonly Unread[] | undefined

/** Returns the unreadable values that a change brings into a record, stored or new. */
function broughtIn(resource: Resource, stored: Row | null, { body, edits }: Change, more: More): Unread[] {
  const all = (values: Row): readonly Unread[] => [...unreadIn(resource, values), ...(more(values) ?? [])]
  const { values } = parseMembers(resource.fields, body, 'merge')
  const before = stored ? all(stored) : []
  const after = all({ ...stored, ...withEdits(resource, stored ?? {}, edits), ...values })
  return after.filter(each => !before.some(other => isSame(each, other)))
}

/** Asks in a terminal whether such values are meant, and throws elsewhere, unless they are forced. */
export async function assertRead(
  context: Context,
  resource: Resource,
  stored: Row | null,
  change: Change,
  more: More = () => undefined,
): Promise<void> {
  const unread = change.flags['force'] === true ? [] : broughtIn(resource, stored, change, more)
  const [first] = unread
  if (!first) return
  const errors = unread.map(each => broken(each.field, unreadProblem(each)))
  if (!context.options.interactive) throw refused(resource, unread, errors)
  const { confirm } = await import('./terminal/ask.ts')
  say(context, ...errors.map(({ sentence }) => sentence))
  if (!(await confirm(context, 'Store it as it is?'))) throw new CliError(EXIT.negative, 'nothing was stored')
}

/** If a text looks like a typo, the hint is the same command with the probable word. */
function refused({ fields }: Resource, [first, ...others]: readonly Unread[], errors: FieldErrors): CliError {
  const sentences = errors.map(({ sentence }) => sentence.replace(/\.$/, '')).join('; ')
  const meant = first?.path.length === 0 && others.length === 0 ? first.meant : undefined
  const hint =
    first && meant && 'value' in meant
      ? again(`--${flagOf(first.field, fields[first.field] ?? {})}`, String(meant.value))
      : undefined
  return new CliError(EXIT.data, `${sentences}; --force stores it as it is`, hint, invalid(errors))
}
