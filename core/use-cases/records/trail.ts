import type { Actor, AuditAction, AuditEntry, Changes } from '../../audit.ts'
import { first } from '../../first-items.ts'
import type { Audit, AuditFilter } from '../../ports/audit.ts'

/** An action that changes no record, but belongs in the audit trail. */
export interface Deed {
  readonly action: AuditAction
  readonly resource: string
  readonly id?: number
  readonly changes: Changes
}

/** Notes an action in the audit trail, taken `by` somebody or by the program itself. */
export const addToTrail = (
  { audit }: { readonly audit: Pick<Audit, 'note'> },
  { action, resource, id, changes }: Deed,
  by?: Actor,
): Promise<void> => audit.note(action, resource, id ?? null, changes, by)

/** Returns the latest entries of the audit trail that match, at most that many. Stops once the signal aborts. */
export const latestInTrail = (
  { audit }: { readonly audit: Pick<Audit, 'list'> },
  filter: AuditFilter,
  most: number,
  signal?: AbortSignal,
): Promise<{ readonly shown: readonly AuditEntry[]; readonly isMore: boolean }> =>
  first(audit.list(filter, signal), most)
