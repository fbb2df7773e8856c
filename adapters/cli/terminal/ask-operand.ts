import type { Command } from 'commander'
import { resourceNamed } from '../../../core/resources/all.ts'
import { isNamed } from '../../../core/resources/resource.ts'
import type { Context } from '../context.ts'
import { labelOf, referenceForm } from '../naming/references.ts'
import { RESOURCE_COMMANDS } from '../naming/resource-names.ts'
import { suggestionsFor } from '../naming/suggestions.ts'
import { askText, candidates, choose } from './ask.ts'

/** Asks for the next operand that a command needs: a choice among known records or values, else a text. */
export async function askOperand(context: Context, { registeredArguments, args, parent }: Command): Promise<string> {
  const missing = registeredArguments[args.length]
  const message = `${missing?.name() ?? ''}:`
  const fitting = RESOURCE_COMMANDS.filter(command => {
    const each = resourceNamed(command.resource)
    return isNamed(each) && referenceForm(each) === missing?.name()
  })
  // Gateways and trunks are both known by their name.
  const meant = fitting.find(({ name }) => name === parent?.name()) ?? fitting[0]
  const resource = meant && resourceNamed(meant.resource)
  if (resource) {
    const services = await context.open()
    return `id:${await choose(context, `${labelOf(resource)}:`, search => candidates(services, resource, search))}`
  }
  const values = missing ? suggestionsFor(missing) : []
  if (values.length === 0)
    return askText(context, message, { validate: text => text.trim() !== '' || 'something must be given' })
  const choices = values.map(value => ({ name: value, value }))
  return String(await choose(context, message, async search => choices.filter(({ name }) => name.includes(search))))
}
