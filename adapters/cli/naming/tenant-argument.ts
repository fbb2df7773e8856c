import type { Command } from 'commander'
import { tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import type { Lookup } from '../../../core/use-cases/records/lookup.ts'
import type { Context } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import type { Flags } from '../fields.ts'
import { pluralOf, resolve } from './references.ts'

/** Lets a command take its tenant as the first word or by --tenant. */
export const tenantArgument = (command: Command): Command =>
  command.argument('[TENANT]').option('--tenant <SLUG|ID>', 'the tenant, if it is not an argument')

/**
 * Returns the tenant that is named in one of the two ways, or the same in both, or chosen in a terminal, and the
 * remaining words, at most `others`. Throws CliError.
 */
export async function tenantFrom(
  context: Context,
  words: readonly string[],
  { tenant: flag }: Flags,
  others = 0,
): Promise<{ readonly tenant: string; readonly rest: readonly string[] }> {
  const isGiven = flag !== undefined
  const isTwice = isGiven && words.length > others
  if (isTwice && words[0] !== flag)
    throw new CliError(EXIT.usage, `the tenant is named twice: ${words[0]} and --tenant ${String(flag)}`)
  const [tenant, rest] = isGiven && !isTwice ? [String(flag), words] : [words[0], words.slice(1)]
  if (tenant !== undefined) return { tenant, rest }
  if (!context.options.interactive)
    throw new CliError(EXIT.usage, 'the tenant must be named, as an argument or by --tenant', 'trunkline tenant list')
  const { candidates, choose } = await import('../terminal/ask.ts')
  const services = await context.open()
  const id = await choose(context, 'tenant:', search => candidates(services, tenants, search))
  return { tenant: `id:${id}`, rest }
}

/** Returns the id of the tenant in --tenant, for records that belong to one. Throws CliError. */
export async function tenantMeant(records: Lookup, resource: Resource, tenant: string): Promise<number> {
  if (!tenantSide(resource)) throw new CliError(EXIT.usage, `${pluralOf(resource)} belong to no tenant`)
  return resolve(records, tenants, tenant)
}
