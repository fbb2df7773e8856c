import { isActive } from '../../../core/rating/deck.ts'
import { tenantRefusal } from '../../../core/switching/decide-registration.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitNumber } from '../../../core/switching/fit.ts'
import { activeAgents } from '../../../core/switching/inside.ts'
import type { RingingQueue } from './callcenter.ts'

/** Returns the queues of a tenant that take calls. */
export const ringingQueues = (directory: TenantDirectory): RingingQueue[] =>
  tenantRefusal(directory.tenant)
    ? []
    : [...directory.queues.values()]
        .filter(({ status, number }) => isActive(status) && isFitNumber(number))
        .map(queue => ({ tenant: directory.tenant, queue, agents: activeAgents(directory, queue) }))
