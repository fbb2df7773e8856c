import type { ComponentChildren } from 'preact'
import { AUDIT_ACTIONS } from '../../../core/audit.ts'
import { resources } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { Shown, SimpleTable } from '../parts/states.tsx'
import { valuesBefore } from '../records/undo.ts'
import { objectOf, objectsOf, useLoaded } from '../state/load.ts'
import { here, setQuery } from '../state/location.ts'
import { canEdit } from '../state/pages.ts'
import { momentShown, pathOf, zoneShown } from '../state/shown.ts'

const COLUMNS = [
  { name: 'at', title: 'When', isWhole: true },
  { name: 'actor', title: 'Who' },
  { name: 'action', title: 'What' },
  { name: 'record', title: 'Record' },
  { name: 'changes', title: 'Before → after' },
  { name: 'undo', title: '' },
]

/** Shows who changed what, latest first. */
export function AuditScreen() {
  const { searchParams } = here.value
  const trail = useLoaded(`/api/console/audit?${searchParams}`, objectOf)
  return (
    <>
      <header class="title">
        <h1>Audit trail</h1>
      </header>
      <search class="filters">
        <Choice name="action" label="What" choices={AUDIT_ACTIONS} />
        <Choice name="resource" label="Of" choices={resources.map(({ name }) => name)} />
        <label class="labelled">
          Who
          <input
            value={searchParams.get('actor') ?? ''}
            placeholder="admin@example.com"
            onChange={event => setQuery({ actor: event.currentTarget.value.trim() || null, before: null })}
          />
        </label>
      </search>
      <p class="hint">Times in {zoneShown()}.</p>
      <Shown of={trail}>
        {data => {
          const entries = objectsOf(data['entries'])
          if (entries.length === 0) return <div class="nothing">No entry matches.</div>
          return (
            <>
              <SimpleTable label="Audit trail" columns={COLUMNS} rows={entries.map(entryRow)} />
              {data['is_more'] === true && (
                <div class="actions">
                  <button type="button" onClick={() => setQuery({ before: String(entries.at(-1)?.['id']) })}>
                    Older
                  </button>
                </div>
              )}
            </>
          )
        }}
      </Shown>
    </>
  )
}

interface ChoiceProps {
  /** The parameter of the page's address. */
  readonly name: string
  readonly label: string
  readonly choices: readonly string[]
}

const Choice = ({ name, label, choices }: ChoiceProps) => (
  <label class="labelled">
    {label}
    <select
      value={here.value.searchParams.get(name) ?? ''}
      onChange={event => setQuery({ [name]: event.currentTarget.value || null, before: null })}
    >
      <option value="">any</option>
      {choices.map(choice => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  </label>
)

function entryRow(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, ComponentChildren>> {
  const { at, actor, origin, action, resource, record_id: id, record_name: name, changes } = entry
  const declared = resources.find(each => each.name === resource)
  const called = `${resource} ${name ?? id ?? ''}`
  return {
    at: momentShown(at),
    actor: (
      <>
        <bdi>{String(actor)}</bdi>
        <span class="hint"> {String(origin)}</span>
      </>
    ),
    action: String(action),
    record:
      declared && typeof id === 'number' ? (
        <a href={pathOf(declared, id)}>
          <bdi>{called}</bdi>
        </a>
      ) : (
        <bdi>{called}</bdi>
      ),
    undo: declared ? <TakeBack entry={entry} resource={declared} /> : '',
    changes: (
      <ul class="changes">
        {Object.entries(objectOf(changes)).map(([field, change]) => (
          <li key={field}>
            {field}: <bdi>{changeShown(change)}</bdi>
          </li>
        ))}
      </ul>
    ),
  }
}

/** A link to the form that reverts a change; none if that is impossible. */
function TakeBack({ entry, resource }: { entry: Readonly<Record<string, unknown>>; resource: Resource }) {
  const { id, action, record_id, changes } = entry
  const before = valuesBefore(resource, objectOf(changes))
  if (Object.keys(before).length === 0 || typeof record_id !== 'number') return null
  if (action === 'update' && canEdit('change', resource))
    return <a href={`${pathOf(resource, record_id)}?undo=${id}`}>Take back…</a>
  if (action !== 'delete' || !canEdit('create', resource) || objectOf(changes)['cascade'] === true) return null
  const preset = new URLSearchParams(Object.entries(before).map(([name, value]) => [name, String(value)]))
  return <a href={`${pathOf(resource, 'new')}?${preset}`}>Make it again…</a>
}

function changeShown(change: unknown): string {
  if (typeof change !== 'object' || change === null) return String(change)
  const { before, after } = { before: undefined, after: undefined, ...change }
  const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  if (before === undefined) return text(after)
  return after === undefined ? `${text(before)} →` : `${text(before)} → ${text(after)}`
}
