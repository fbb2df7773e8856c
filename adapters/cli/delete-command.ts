import { Command } from 'commander'
import { AppError } from '../../core/errors.ts'
import { referencesTo, resourceNamed } from '../../core/resources/all.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { askText, confirm } from './ask.ts'
import { type Context, type Services, say } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import { example } from './help.ts'
import type { RunCommand } from './program.ts'
import { isNamed, labelOf, pluralOf, recordToDelete, referenceForm, tenantOption } from './references.ts'
import { sampleReference } from './samples.ts'

/** Deletes one record, and what depends on it when that is wanted in so many words. */
export function deleteCommand(resource: Resource, name: string, verb: 'delete' | 'remove', run: RunCommand): Command {
  const command = new Command(verb)
    .description(`${verb} one ${labelOf(resource)}; at a terminal, asks first`)
    .argument(`<${referenceForm(resource)}>`)
    .option('-y, --yes', 'without asking')
  tenantOption(command, resource)
  const isRestricted = referencesTo(resource).some(({ onDelete }) => onDelete === 'restrict')
  if (isRestricted) command.option('--cascade', 'with everything that belongs to it')
  example(command, `trunkline ${name} ${verb} ${sampleReference(resource)} --yes${isRestricted ? ' --cascade' : ''}`)
  return run(command, async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await recordToDelete(context, services.records, resource, reference, flags['tenant'])
    const isSure = flags['yes'] === true
    if (!isSure) await assertWanted(context, `${labelOf(resource)} ${reference}`)
    try {
      await services.administration.remove(resource, id, { cascade: isSure && flags['cascade'] === true })
    } catch (error) {
      await removeWithDependants(context, services, resource, id, error)
    }
    say(context, `${resource.label} ${reference} ${verb}d.`)
  })
}

/** A person is asked; a script must say so in advance. */
export async function assertWanted(context: Context, what: string): Promise<void> {
  if (!context.options.interactive) throw new CliError(EXIT.usage, `deleting ${what} must be confirmed`, again('--yes'))
  if (!(await confirm(context, `Delete ${what}?`))) throw new CliError(EXIT.negative, 'nothing was deleted')
}

/** A record with dependants goes only when the person at the terminal has seen what goes with it and types its name. */
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
  say(context, `With the ${labelOf(resource)} goes, for good:`)
  for (const [dependant, count] of Object.entries(error.details.dependants))
    say(context, `${String(count).padStart(10)} ${nameOf(dependant, count)}`)
  const wanted = await askText(context, `Type ${key} to delete all of it:`)
  if (wanted.trim() !== key) throw new CliError(EXIT.negative, 'nothing was deleted')
  await administration.remove(resource, id, { cascade: true })
}

const nameOf = (resource: string, count: number): string => {
  const declared = resourceNamed(resource)
  return count === 1 ? labelOf(declared) : pluralOf(declared)
}
