import { type Command, Option } from 'commander'
import type { Selection, Sort } from '../../core/ports/records.ts'
import { isRated } from '../../core/resources/call-ratings.ts'
import { type Field, Problem } from '../../core/resources/field.ts'
import { TENANT, tenantSide } from '../../core/resources/references/within.ts'
import { fieldLabel, type Resource, sortable } from '../../core/resources/resource.ts'
import type { Services } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import { addFilterFlags, camel, type Flags, filtersFrom, flagOf } from './fields.ts'
import { pluralOf } from './naming/references.ts'
import { tenantMeant } from './naming/tenant-argument.ts'
import { isTimed, recordPeriodFrom, recordPeriodOptions } from './period.ts'

/** Adds the flags that select which records of a resource are listed or exported. */
export function addSelectionFlags(command: Command, resource: Resource): Command {
  addFilterFlags(command, resource)
  const side = tenantSide(resource)
  if (side && side.field !== TENANT) command.option('--tenant <SLUG|ID>', `only ${pluralOf(resource)} of this tenant`)
  for (const [name, field] of amountsOf(resource))
    command.option(`${leastFlag(name, field)} <amount>`, `only those whose ${fieldLabel(name)} is this or more`)
  if (isRated(resource))
    command.option('--unrated', 'only unrated calls: those that no rate matched, or whose cost would be too large')
  return isTimed(resource) ? recordPeriodOptions(command, resource) : command
}

/** Returns the selection in those flags. */
export async function selectionFrom(
  flags: Flags,
  resource: Resource,
  { records }: Pick<Services, 'records'>,
): Promise<Selection> {
  const { tenant } = flags
  const atLeast = atLeastFrom(flags, resource)
  const tenantId = tenant === undefined ? undefined : await tenantMeant(records, resource, String(tenant))
  const scope = tenantId === undefined ? {} : { [TENANT]: tenantId }
  return {
    where: await filtersFrom(flags, resource, { records }, scope),
    atLeast,
    ...(flags['unrated'] === true ? { unrated: true } : {}),
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(await recordPeriodFrom(flags, tenantId, records)),
  }
}

const amountsOf = ({ fields }: Resource): [name: string, field: Field][] =>
  Object.entries(fields).filter(([, { kind }]) => kind === 'decimal')

const leastFlag = (name: string, field: Field): string => `--min-${flagOf(name, field)}`

function atLeastFrom(flags: Flags, resource: Resource): Record<string, number> {
  const atLeast: Record<string, number> = {}
  for (const [name, field] of amountsOf(resource)) {
    const flag = leastFlag(name, field)
    const text = flags[camel(flag.slice(2))]
    if (text === undefined) continue
    const value = field.parse(text)
    if (value instanceof Problem) throw new CliError(EXIT.usage, `${flag} ${value.predicate}`, again(flag, '0.5'))
    atLeast[name] = Number(value)
  }
  return atLeast
}

/** Adds the flags that sort a list. */
export const addSortFlags = (command: Command, resource: Resource): Command =>
  command
    .addOption(
      new Option('--sort <field>', `sort by this field, highest or latest first (default: ${resource.order})`).choices(
        sortable(resource),
      ),
    )
    .option('--reverse', 'sort lowest or earliest first')

export function sortFrom({ sort, reverse }: Flags, { order }: Resource): { readonly sort?: Sort } {
  if (sort === undefined && reverse !== true) return {}
  return { sort: { by: sort === undefined ? order : String(sort), isAscending: reverse === true } }
}
