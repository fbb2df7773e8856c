import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { collectionOf, type Resource } from '../../../core/resources/resource.ts'
import { asRecord, asRecords, get, type RecordData } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { nameOf } from '../state/shown.ts'

const MOST = 20
const PAUSE_MS = 150

interface Sought {
  readonly resource: Resource
  readonly value: number | null
  readonly onPick: (id: number | null) => void
  /** Only records of that tenant, if the resource belongs to tenants. */
  readonly tenantId?: number | null
}

interface PickerProps extends Sought {
  readonly id?: string
  readonly describedBy?: string
  readonly isInvalid?: boolean
}

const pathTo = (resource: Resource): string => `/api/console/records/${collectionOf(resource)}`

/** Returns a record's name, preceded by its owners' names if the list would be ambiguous. */
function spoken(resource: Resource, record: RecordData): string {
  const own = nameOf(resource, record)
  const name = record['display_name'] ?? record['name'] ?? record['description']
  return typeof name === 'string' && name !== '' && name !== own ? `${own} · ${name}` : own
}

/** The text of a picker: the name of the chosen record, until something else is typed. */
function useChosenName(resource: Resource, value: number | null): Signal<string> {
  const text = useSignal('')
  useEffect(() => {
    const asking = new AbortController()
    if (value === null) text.value = ''
    else
      get(`${pathTo(resource)}/${value}`, asking.signal)
        .then(data => {
          text.value = spoken(resource, asRecord(data))
        })
        .catch(() => {
          if (!asking.signal.aborted) text.value = `#${value}`
        })
    return () => asking.abort()
  }, [resource, value])
  return text
}

/** What a picker has found, and which of it the arrow keys are at. */
function useFound({ resource, value, tenantId, onPick }: Sought) {
  const text = useChosenName(resource, value)
  const found = useSignal<readonly RecordData[]>([])
  const isOpen = useSignal(false)
  const active = useSignal(0)
  const timer = useSignal(0)
  /** Counts what was typed: an answer to anything earlier is out of date. */
  const round = useSignal(0)
  /** While what was typed is looked for: whether Enter was pressed, to pick the first that is found. */
  const awaited = useSignal<'found' | 'picked' | null>(null)
  const look = async (typed: string): Promise<void> => {
    const mine = round.value
    const query = new URLSearchParams({ limit: String(MOST) })
    if (typed.trim() !== '') query.set('search', typed.trim())
    if (tenantId) query.set('tenant', String(tenantId))
    const records = asRecords(await get(`${pathTo(resource)}?${query}`))
    if (mine !== round.value) return
    found.value = records
    active.value = 0
    const isPicked = awaited.value === 'picked'
    awaited.value = null
    if (isPicked && records.length > 0) pick(records[0])
    else isOpen.value = true
  }
  const pick = (record: RecordData | undefined): void => {
    isOpen.value = false
    if (!record) return
    text.value = spoken(resource, record)
    onPick(record.id)
  }
  return {
    ...{ text, found, isOpen, active, awaited, pick },
    open: (): void => void look('').catch(noteTrouble),
    type: (typed: string): void => {
      text.value = typed
      round.value++
      awaited.value = 'found'
      clearTimeout(timer.value)
      timer.value = window.setTimeout(() => void look(typed).catch(noteTrouble), PAUSE_MS)
    },
    step: (by: number): void => {
      active.value = Math.max(0, Math.min(found.value.length - 1, active.value + by))
    },
    leave: (): void => {
      isOpen.value = false
      if (text.value.trim() === '' && value !== null) onPick(null)
    },
  }
}

type Found = ReturnType<typeof useFound>

/** Follows the keys of a combobox. */
function onKey(event: KeyboardEvent, { found, isOpen, active, awaited, open, step, pick }: Found): void {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    if (!isOpen.value) open()
    step(event.key === 'ArrowDown' ? 1 : -1)
  } else if (event.key === 'Enter' && awaited.value !== null) {
    event.preventDefault()
    awaited.value = 'picked'
  } else if (event.key === 'Enter' && isOpen.value) {
    event.preventDefault()
    pick(found.value[active.value])
  } else if (event.key === 'Escape' && isOpen.value) {
    event.stopPropagation()
    isOpen.value = false
  }
}

/** A field that finds a record by typing part of its name. */
export function Picker({ id, describedBy, isInvalid, ...sought }: PickerProps) {
  const listId = useId()
  const found = useFound(sought)
  const isActive = found.isOpen.value && found.found.value.length > 0
  return (
    <span class="picker">
      <input
        {...(id ? { id } : {})}
        {...(describedBy ? { 'aria-describedby': describedBy } : {})}
        aria-invalid={isInvalid === true}
        role="combobox"
        aria-expanded={found.isOpen.value}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(isActive ? { 'aria-activedescendant': `${listId}-${found.active.value}` } : {})}
        autocomplete="off"
        placeholder={`Find ${sought.resource.label}`}
        value={found.text.value}
        onFocus={found.open}
        onBlur={found.leave}
        onInput={event => found.type(event.currentTarget.value)}
        onKeyDown={event => onKey(event, found)}
      />
      <Choices resource={sought.resource} listId={listId} found={found} />
    </span>
  )
}

interface ChoicesProps {
  readonly resource: Resource
  readonly listId: string
  readonly found: Found
}

const Choices = ({ resource, listId, found: { found, isOpen, active, pick } }: ChoicesProps) => (
  <ul id={listId} role="listbox" aria-label={resource.plural} hidden={!isOpen.value}>
    {found.value.length === 0 && <li class="hint">Nothing matches.</li>}
    {found.value.map((record, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
      <li
        key={record.id}
        id={`${listId}-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={index === active.value}
        onMouseDown={event => event.preventDefault()}
        onClick={() => pick(record)}
      >
        <bdi>{spoken(resource, record)}</bdi>
      </li>
    ))}
  </ul>
)
