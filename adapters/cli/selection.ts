import type { Command } from 'commander'
import type { Selection } from '../../core/ports/records.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { TENANT, tenantSide } from '../../core/resources/within.ts'
import type { Services } from './context.ts'
import { addFilterFlags, type Flags, filtersFrom } from './fields.ts'
import { isTimed, recordPeriodFrom, recordPeriodOptions } from './period.ts'
import { pluralOf } from './references.ts'
import { tenantMeant } from './tenant-argument.ts'

/** The flags that choose which records of a resource are listed or exported. */
export function addSelectionFlags(command: Command, resource: Resource): Command {
  addFilterFlags(command, resource)
  const side = tenantSide(resource)
  if (side && side.field !== TENANT) command.option('--tenant <SLUG|ID>', `only ${pluralOf(resource)} of this tenant`)
  return isTimed(resource) ? recordPeriodOptions(command, resource) : command
}

/** The records that those flags choose. */
export async function selectionFrom(
  flags: Flags,
  resource: Resource,
  { records }: Pick<Services, 'records'>,
): Promise<Selection> {
  const { tenant } = flags
  const tenantId = tenant === undefined ? undefined : await tenantMeant(records, resource, String(tenant))
  const known = tenantId === undefined ? {} : { [TENANT]: tenantId }
  return {
    where: await filtersFrom(flags, resource, { records }, known),
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(await recordPeriodFrom(flags, tenantId, records)),
  }
}
