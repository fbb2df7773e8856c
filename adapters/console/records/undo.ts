import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Resource } from '../../../core/resources/resource.ts'
import { get } from '../state/api.ts'
import { objectOf, objectsOf } from '../state/load.ts'
import { here } from '../state/location.ts'
import { noteTrouble } from '../state/notes.ts'

/** The initial values of a form instead of the stored ones, and why. */
export interface Proposal {
  readonly why: string
  readonly values: Readonly<Record<string, unknown>>
}

type Changes = Readonly<Record<string, unknown>>

/** Returns the fields' values before a change in the audit trail, as far as known. */
export const valuesBefore = ({ fields }: Resource, changes: Changes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([name, change]) => {
      const { before } = { before: undefined, ...objectOf(change) }
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (!field || field.secret || before === undefined) return []
      return [[name, field.kind === 'boolean' ? before === true || before === 1 : (before ?? '')]]
    }),
  )

/** Returns the values before the entry of the audit trail in the page's address. */
export function useProposal(resource: Resource, id: number): Signal<Proposal | null> {
  const proposal = useSignal<Proposal | null>(null)
  const entryId = Number(here.value.searchParams.get('undo') ?? Number.NaN)
  useEffect(() => {
    proposal.value = null
    if (!Number.isSafeInteger(entryId)) return
    const query = new URLSearchParams({
      ...{ resource: resource.name, record: String(id), before: String(entryId + 1) },
    })
    get(`/api/console/audit?${query}`)
      .then(data => {
        const entry = objectsOf(objectOf(data)['entries']).find(each => each['id'] === entryId)
        if (!entry) return
        const values = valuesBefore(resource, objectOf(entry['changes']))
        proposal.value = { why: `This takes back what ${entry['actor']} changed. Look at it, then save.`, values }
      })
      .catch(noteTrouble)
  }, [resource.name, id, entryId])
  return proposal
}
