import { isActive } from '../../core/rating/deck.ts'
import type { TenantDirectory, Trunk } from '../../core/switching/directory.ts'
import { isFitName } from '../../core/switching/fit.ts'

/** Returns the trunks that need gateways, from any tenant's directory, since they belong to none. */
export const activeTrunks = (directory: TenantDirectory | null): Trunk[] =>
  [...(directory?.trunks.values() ?? [])].filter(({ status, name }) => isActive(status) && isFitName(name))
