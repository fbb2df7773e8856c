import { useSignal } from '@preact/signals'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { Confirmation } from '../parts/dialog.tsx'
import { type RecordData, Refusal, request } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { nameOf, titleOf } from '../state/shown.ts'

interface DeletionProps {
  readonly resource: Resource
  readonly record: RecordData
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Asks before deleting a record; counts what is deleted with it, and requires its name to be typed. */
export function Deletion({ resource, record, onDone, onClose }: DeletionProps) {
  const dependants = useSignal<Readonly<Record<string, number>> | null>(null)
  const typed = useSignal('')
  const name = nameOf(resource, record)
  const remove = async (): Promise<void> => {
    const query = dependants.value ? '?cascade=true' : ''
    try {
      await request('DELETE', `/api/console/records/${collectionOf(resource)}/${record.id}${query}`)
      onDone()
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) dependants.value = error.dependants
      else noteTrouble(error)
    }
  }
  return (
    <Confirmation
      title={`Delete ${lowered(resource.label)} ${name}?`}
      action={dependants.value ? 'Delete all of it' : 'Delete'}
      isSure={dependants.value === null || typed.value === name}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      {dependants.value && (
        <>
          <p>This is deleted with it for good:</p>
          <ul>
            {Object.entries(dependants.value).map(([what, count]) => (
              <li key={what}>
                {count.toLocaleString('en')} {lowered(titleOf(what))}
              </li>
            ))}
          </ul>
          <label class="field">
            Type <b>{name}</b> to delete all of it
            <input
              value={typed.value}
              autocomplete="off"
              onInput={event => (typed.value = event.currentTarget.value)}
            />
          </label>
        </>
      )}
    </Confirmation>
  )
}
