import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { collectionOf, type Resource } from '../../../core/resources/resource.ts'
import { asRecord, asRecords, get, type RecordData } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { nameOf } from '../state/shown.ts'

const MOST = 20
const PAUSE_MS = 150

interface PickerProps {
  readonly resource: Resource
  readonly value: number | null
  readonly onPick: (id: number | null) => void
  /** Only records of that tenant, if the resource belongs to tenants. */
  readonly tenantId?: number | null
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

/** A field that finds a record by typing part of its name. */
export function Picker({ resource, value, onPick, tenantId, id, describedBy, isInvalid }: PickerProps) {
  const listId = useId()
  const text = useSignal('')
  const found = useSignal<readonly RecordData[]>([])
  const isOpen = useSignal(false)
  const active = useSignal(0)
  const timer = useSignal(0)

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

  const look = async (typed: string): Promise<void> => {
    const query = new URLSearchParams({ limit: String(MOST) })
    if (typed.trim() !== '') query.set('search', typed.trim())
    if (tenantId) query.set('tenant', String(tenantId))
    found.value = asRecords(await get(`${pathTo(resource)}?${query}`))
    active.value = 0
    isOpen.value = true
  }
  const pick = (record: RecordData | undefined): void => {
    isOpen.value = false
    if (!record) return
    text.value = spoken(resource, record)
    onPick(record.id)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!isOpen.value) void look('').catch(noteTrouble)
      const step = event.key === 'ArrowDown' ? 1 : -1
      active.value = Math.max(0, Math.min(found.value.length - 1, active.value + step))
    } else if (event.key === 'Enter' && isOpen.value) {
      event.preventDefault()
      pick(found.value[active.value])
    } else if (event.key === 'Escape' && isOpen.value) {
      event.stopPropagation()
      isOpen.value = false
    }
  }
  return (
    <span class="picker">
      <input
        {...(id ? { id } : {})}
        {...(describedBy ? { 'aria-describedby': describedBy } : {})}
        aria-invalid={isInvalid === true}
        role="combobox"
        aria-expanded={isOpen.value}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(isOpen.value && found.value.length > 0 ? { 'aria-activedescendant': `${listId}-${active.value}` } : {})}
        autocomplete="off"
        placeholder={`Find ${resource.label}`}
        value={text.value}
        onFocus={() => void look('').catch(noteTrouble)}
        onBlur={() => {
          isOpen.value = false
          if (text.value.trim() === '' && value !== null) onPick(null)
        }}
        onInput={event => {
          const typed = event.currentTarget.value
          text.value = typed
          clearTimeout(timer.value)
          timer.value = window.setTimeout(() => void look(typed).catch(noteTrouble), PAUSE_MS)
        }}
        onKeyDown={onKey}
      />
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
    </span>
  )
}
