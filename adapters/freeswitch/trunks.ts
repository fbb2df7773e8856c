import { isActive } from '../../core/rating/deck.ts'
import type { TenantDirectory, Trunk } from '../../core/switching/directory.ts'
import { isFitName } from '../../core/switching/fit.ts'

/** The trunks that there are gateways for; those of any tenant's directory, since they are of none. */
export const activeTrunks = (directory: TenantDirectory | null): Trunk[] =>
  [...(directory?.trunks.values() ?? [])].filter(({ status, name }) => isActive(status) && isFitName(name))
