import { type Signal, useSignal } from '@preact/signals'
import type { Field } from '../../../core/resources/field.ts'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { FieldsDialog } from '../records/fields-dialog.tsx'
import { asRecords, type FieldErrors, Refusal, request } from '../state/api.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { reserved } from '../state/session.ts'
import { pathOf, titleOf } from '../state/shown.ts'

/** The most records to change at once. */
const MOST = 1_000
/** The most records with errors to name. */
const NAMED = 20

export type Chosen = Signal<ReadonlySet<number>>

interface BulkProps {
  readonly resource: Resource
  readonly chosen: Chosen
  /** The selection of the list. */
  readonly query: URLSearchParams
  readonly onChanged: () => void
}

const pathTo = (resource: Resource): string => `/api/console/records/${collectionOf(resource)}`

/** Actions on the records selected in a list. */
export function Bulk({ resource, chosen, query, onChanged }: BulkProps) {
  const editing = useSignal<string | null>(null)
  const errors = useSignal<FieldErrors>({})
  const count = chosen.value.size
  const isTooMany = count > MOST
  const change = async (changes: Readonly<Record<string, unknown>>): Promise<void> => {
    errors.value = {}
    const refused = await changeAll(resource, [...chosen.value], changes)
    editing.value = null
    if (refused) {
      errors.value = refused
      return
    }
    chosen.value = new Set()
    onChanged()
  }
  const chooseMatching = async (): Promise<void> => {
    chosen.value = await matching(resource, query)
  }
  if (count === 0) return null
  const status = resource.fields['status']
  return (
    <section class="bulk" aria-label="Chosen records">
      <b role="status">{count === 1 ? '1 chosen' : `${count.toLocaleString('en')} chosen`}</b>
      <button type="button" onClick={() => void chooseMatching().catch(noteTrouble)}>
        Choose all that match
      </button>
      {(status?.choices ?? status?.known ?? []).map(value => (
        <button
          key={value}
          type="button"
          disabled={isTooMany}
          onClick={() => void change({ status: value }).catch(noteTrouble)}
        >
          Set {value}
        </button>
      ))}
      <ChangeMenu resource={resource} isDisabled={isTooMany} onChoose={name => (editing.value = name)} />
      <button type="button" onClick={() => (chosen.value = new Set())}>
        Choose none
      </button>
      {editing.value !== null && (
        <ChangeDialog
          key={editing.value}
          {...{ resource, count, name: editing.value }}
          onSubmit={change}
          onClose={() => (editing.value = null)}
        />
      )}
      {isTooMany && (
        <p class="trouble" role="alert">
          Choose at most {MOST.toLocaleString('en')} records to change together.
        </p>
      )}
      <Failures resource={resource} errors={errors.value} />
    </section>
  )
}

/** Returns the ids of the first records that match. */
async function matching(resource: Resource, query: URLSearchParams): Promise<ReadonlySet<number>> {
  const asked = new URLSearchParams(query)
  asked.set('limit', String(MOST))
  const { data, headers } = await request('GET', `${pathTo(resource)}?${asked}`)
  const most = MOST.toLocaleString('en')
  if (headers.get('x-next-after') !== null) note(`More than ${most} match: the first ${most} are chosen.`)
  return new Set(asRecords(data).map(({ id }) => id))
}

/** Changes all of the records, or none: then returns the errors by record, else null. */
async function changeAll(resource: Resource, ids: readonly number[], change: Readonly<Record<string, unknown>>) {
  try {
    const { message } = await request('PATCH', pathTo(resource), { json: { ids, change } })
    note(message)
    return null
  } catch (error) {
    const isByRecord = error instanceof Refusal && Object.keys(error.errors).some(name => /^\d+$/.test(name))
    if (!isByRecord) throw error
    return error.errors
  }
}

interface ChangeMenuProps {
  readonly resource: Resource
  readonly isDisabled: boolean
  readonly onChoose: (field: string | null) => void
}

function ChangeMenu({ resource, isDisabled, onChoose }: ChangeMenuProps) {
  return (
    <select
      aria-label="Change a field"
      data-edit
      disabled={isDisabled}
      value=""
      onChange={event => {
        onChoose(event.currentTarget.value || null)
        event.currentTarget.value = ''
      }}
    >
      <option value="">Change…</option>
      {changeable(resource).map(([name]) => (
        <option key={name} value={name}>
          {titleOf(name)}
        </option>
      ))}
    </select>
  )
}

interface ChangeDialogProps {
  readonly resource: Resource
  /** The field to change. */
  readonly name: string
  readonly count: number
  readonly onSubmit: (changes: Readonly<Record<string, unknown>>) => Promise<void>
  readonly onClose: () => void
}

function ChangeDialog({ resource, name, count, onSubmit, onClose }: ChangeDialogProps) {
  const field = resource.fields[name]
  if (!field) return null
  const records = lowered(count === 1 ? resource.label : resource.plural)
  return (
    <FieldsDialog
      title={`Change ${lowered(titleOf(name))} of ${count} ${records}`}
      fields={{ [name]: field }}
      initial={{ [name]: field.kind === 'boolean' ? false : '' }}
      action="Change"
      onSubmit={onSubmit}
      onClose={onClose}
    />
  )
}

/** Returns the fields that several records may share. */
const changeable = (resource: Resource): [string, Field][] =>
  Object.entries(resource.fields).filter(
    ([name, { secret, writeOnly }]) =>
      !secret &&
      !writeOnly &&
      !reserved(resource).includes(name) &&
      !resource.unique.some(names => names.at(-1) === name),
  )

/** Shows which records could not be changed, and why; none was changed. */
function Failures({ resource, errors }: { resource: Resource; errors: FieldErrors }) {
  const all = Object.entries(errors)
  if (all.length === 0) return null
  return (
    <div class="trouble" role="alert">
      <p>Nothing was changed:</p>
      <ul>
        {all.slice(0, NAMED).map(([id, sentences]) => (
          <li key={id}>
            <a href={pathOf(resource, Number(id))}>No. {id}</a>: {sentences.join(' ')}
          </li>
        ))}
      </ul>
      {all.length > NAMED && <p>… and {all.length - NAMED} more.</p>}
    </div>
  )
}
