import { type Signal, useSignal } from '@preact/signals'
import type { Field } from '../../../core/resources/field.ts'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { FieldsDialog } from '../records/fields-dialog.tsx'
import { asRecords, Refusal, request } from '../state/api.ts'
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

type Errors = Readonly<Record<string, readonly string[]>>

/** Actions on the records selected in a list. */
export function Bulk({ resource, chosen, query, onChanged }: BulkProps) {
  const editing = useSignal<string | null>(null)
  const errors = useSignal<Errors>({})
  const path = `/api/console/records/${collectionOf(resource)}`
  const count = chosen.value.size
  const chooseMatching = async (): Promise<void> => {
    const asked = new URLSearchParams(query)
    asked.set('limit', String(MOST))
    const { data, headers } = await request('GET', `${path}?${asked}`)
    chosen.value = new Set(asRecords(data).map(({ id }) => id))
    if (headers.get('x-next-after') !== null) note(`More than ${MOST} match: the first ${MOST} are chosen.`)
  }
  const change = async (changes: Readonly<Record<string, unknown>>): Promise<void> => {
    errors.value = {}
    try {
      const { message } = await request('PATCH', path, { json: { ids: [...chosen.value], change: changes } })
      note(message)
      editing.value = null
      chosen.value = new Set()
      onChanged()
    } catch (error) {
      const isByRecord = error instanceof Refusal && Object.keys(error.errors).some(name => /^\d+$/.test(name))
      if (!isByRecord) throw error
      editing.value = null
      errors.value = error.errors
    }
  }
  if (count === 0) return null
  const status = resource.fields['status']
  const field = editing.value === null ? undefined : resource.fields[editing.value]
  return (
    <section class="bulk" aria-label="Chosen records">
      <b role="status">{count === 1 ? '1 chosen' : `${count.toLocaleString('en')} chosen`}</b>
      <button type="button" onClick={() => void chooseMatching().catch(noteTrouble)}>
        Choose all that match
      </button>
      {(status?.choices ?? status?.known ?? []).map(value => (
        <button key={value} type="button" onClick={() => void change({ status: value }).catch(noteTrouble)}>
          Set {value}
        </button>
      ))}
      <select
        aria-label="Change a field"
        data-edit
        value=""
        onChange={event => {
          editing.value = event.currentTarget.value || null
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
      <button type="button" onClick={() => (chosen.value = new Set())}>
        Choose none
      </button>
      {editing.value !== null && field && (
        <FieldsDialog
          key={editing.value}
          title={`Change ${lowered(titleOf(editing.value))} of ${count} ${lowered(count === 1 ? resource.label : resource.plural)}`}
          fields={{ [editing.value]: field }}
          initial={{ [editing.value]: field.kind === 'boolean' ? false : '' }}
          action="Change"
          onSubmit={change}
          onClose={() => (editing.value = null)}
        />
      )}
      <Failures resource={resource} errors={errors.value} />
    </section>
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
function Failures({ resource, errors }: { resource: Resource; errors: Errors }) {
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
