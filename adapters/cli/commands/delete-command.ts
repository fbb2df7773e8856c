import { Command } from 'commander'
import { AppError } from '../../../core/errors.ts'
import { referencesTo, resourceNamed } from '../../../core/resources/all.ts'
import { isNamed, type Resource } from '../../../core/resources/resource.ts'
import type { Lookup } from '../../../core/use-cases/records/lookup.ts'
import { type Context, type Services, say } from '../context.ts'
import { again, CliError, EXIT } from '../exit.ts'
import { example } from '../help.ts'
import { labelOf, naming, pluralOf, recordToDelete, referenceForm, tenantOption } from '../naming/references.ts'
import { verbsOf } from '../naming/resource-names.ts'
import type { RunCommand } from '../program.ts'
import { askText, confirm } from '../terminal/ask.ts'
import { sampleReference } from '../terminal/samples.ts'

/** Deletes one record, and its dependants only on explicit request. */
export function deleteCommand(resource: Resource, name: string, run: RunCommand): Command {
  const { delete: verb } = verbsOf(resource)
  const command = new Command(verb)
    .description(`${verb} one ${labelOf(resource)}; in a terminal, asks first`)
    .argument(`<${referenceForm(resource)}>`)
    .option('-y, --yes', 'do not ask')
  tenantOption(command, resource)
  const isRestricted = referencesTo(resource).some(({ onDelete }) => onDelete === 'restrict')
  if (isRestricted) command.option('--cascade', 'also delete everything that belongs to it')
  example(command, `trunkline ${name} ${verb} ${sampleReference(resource)} --yes${isRestricted ? ' --cascade' : ''}`)
  return run(command, async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await recordToDelete(services.records, resource, reference, flags['tenant'])
    const isSure = flags['yes'] === true
    const named = await nameWithId(services.records, resource, id, reference)
    const cascade = isSure && flags['cascade'] === true
    const along = await alongWith(services.records, resource, id, cascade)
    if (!isSure) await assertWanted(context, `${labelOf(resource)} ${named}`, along)
    try {
      await services.administration.remove(resource, id, { cascade })
    } catch (error) {
      await removeWithDependants(context, services, resource, id, error)
    }
    say(context, `${resource.label} ${named} ${verb}d${along}.`)
  })
}

/** Returns a record's name, and its id if it was given by id: others may have the same name. */
async function nameWithId(records: Lookup, resource: Resource, id: number, reference: string): Promise<string> {
  const name = await naming(records)(resource, id)
  return name !== String(id) && reference.replace('id:', '') === String(id) ? `${name} (id ${id})` : name
}

/** Asks a person, naming what happens `along` with it; a script must confirm in advance. */
export async function assertWanted(context: Context, what: string, along = ''): Promise<void> {
  if (!context.options.interactive) throw new CliError(EXIT.usage, `deleting ${what} must be confirmed`, again('--yes'))
  if (!(await confirm(context, `Delete ${what}${along}?`))) throw new CliError(EXIT.negative, 'nothing was deleted')
}

/**
 * Describes how many records are deleted with one, and how many of its records stay; empty if there are none. Records
 * that restrict its deletion count only with `cascade`; otherwise a separate question shows them.
 */
async function alongWith(records: Lookup, resource: Resource, id: number, cascade: boolean): Promise<string> {
  const going: string[] = []
  const staying: string[] = []
  for (const { from, onDelete, where } of referencesTo(resource)) {
    if (onDelete === 'restrict' && !cascade) continue
    const count = await records.count(from, where(id))
    if (count > 0)
      (onDelete === 'clear' || onDelete === 'keep' ? staying : going).push(`${count} ${nameOf(from, count)}`)
  }
  const gone = going.length > 0 ? ` with ${going.join(', ')}` : ''
  return staying.length > 0 ? `${gone} (left without it: ${staying.join(', ')})` : gone
}

/** Deletes a record with dependants only if the person at the terminal has seen them and types its name. */
async function removeWithDependants(
  context: Context,
  { administration, records }: Services,
  resource: Resource,
  id: number,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError && error.code === 'conflict' && error.details.dependants)) throw error
  if (!context.options.interactive) throw new CliError(EXIT.data, error.message, again('--cascade'), error)
  const row = await records.find(resource, id)
  const key = isNamed(resource) ? String(row?.[resource.key.at(-1) ?? 'id'] ?? id) : String(id)
  say(context, `These are deleted with the ${labelOf(resource)}:`)
  for (const [dependant, count] of Object.entries(error.details.dependants))
    say(context, `${String(count).padStart(10)} ${nameOf(resourceNamed(dependant), count)}`)
  const wanted = await askText(context, `Type ${key} to delete all of it:`)
  if (wanted.trim() !== key) throw new CliError(EXIT.negative, 'nothing was deleted')
  await administration.remove(resource, id, { cascade: true })
}

const nameOf = (resource: Resource, count: number): string => (count === 1 ? labelOf(resource) : pluralOf(resource))
