import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { resourceNamed } from '../../../core/resources/all.ts'
import { isRated } from '../../../core/resources/call-ratings.ts'
import type { Field } from '../../../core/resources/field.ts'
import { TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import { choosable, lowered, type Resource } from '../../../core/resources/resource.ts'
import { Check } from '../parts/controls.tsx'
import { Picker } from '../parts/picker.tsx'
import { here, idIn, setQuery } from '../state/location.ts'
import { me } from '../state/session.ts'
import { titleOf } from '../state/shown.ts'

/** A filter of a list, and the page parameter that holds its value. */
interface Filter {
  readonly parameter: string
  readonly title: string
  readonly field: Field | null
  /** The resource whose id is the value. */
  readonly of: Resource | null
}

/** Returns every filter that the declarations of a resource allow. */
function filtersOf(resource: Resource): readonly Filter[] {
  const own = Object.entries(choosable(resource)).flatMap(([name, field]): Filter[] => {
    const { references, kind, secret, unbounded, writeOnly } = field
    if (secret || writeOnly || kind === 'json' || kind === 'date' || (kind === 'text' && unbounded)) return []
    const title = titleOf(name)
    if (references)
      return typeof references.to === 'string'
        ? [{ parameter: `filter[${name}]`, title, field, of: resourceNamed(references.to) }]
        : []
    if (kind === 'decimal') return [{ parameter: `min[${name}]`, title: `${title} at least`, field, of: null }]
    return [{ parameter: `filter[${name}]`, title, field, of: null }]
  })
  const side = tenantSide(resource)
  const byTenant = { parameter: 'tenant', title: 'Tenant', field: null, of: resourceNamed('tenants') }
  return side && side.field !== TENANT ? [byTenant, ...own] : own
}

/** Shows the search, the filters in use, a menu of the others, and the period if records are ordered by time. */
export function Filters({ resource, fixed }: { resource: Resource; fixed: readonly string[] }) {
  const { searchParams } = here.value
  const all = filtersOf(resource).filter(
    ({ parameter, of }) => !fixed.includes(parameter) && !(me.value?.tenant && of?.name === 'tenants'),
  )
  const opened = useSignal<readonly string[]>([])
  const isUsed = ({ parameter }: Filter): boolean => searchParams.has(parameter) || opened.value.includes(parameter)
  const others = all.filter(filter => !isUsed(filter))
  return (
    <search class="filters">
      {resource.search.length > 0 && <Search resource={resource} />}
      {resource.fields[resource.order]?.kind === 'date' && <PeriodFilter order={resource.order} />}
      {isRated(resource) && (
        <Check
          checked={searchParams.get('unrated') === 'true'}
          onChange={isOnly => setQuery({ unrated: isOnly ? 'true' : null })}
        >
          Unrated only
        </Check>
      )}
      {all.filter(isUsed).map(filter => (
        <FilterField
          key={filter.parameter}
          filter={filter}
          onClear={() => {
            opened.value = opened.value.filter(each => each !== filter.parameter)
            setQuery({ [filter.parameter]: null })
          }}
        />
      ))}
      {others.length > 0 && (
        <select
          aria-label="Add a filter"
          value=""
          onChange={event => {
            opened.value = [...opened.value, event.currentTarget.value]
          }}
        >
          <option value="">Filter by…</option>
          {others.map(({ parameter, title }) => (
            <option key={parameter} value={parameter}>
              {title}
            </option>
          ))}
        </select>
      )}
    </search>
  )
}

/** How long after the last keystroke the search starts. */
const PAUSE_MS = 250

function Search({ resource }: { resource: Resource }) {
  const timer = useSignal(0)
  const apply = (text: string): void => setQuery({ search: text.trim() || null }, true)
  return (
    <input
      type="search"
      class="search"
      placeholder={`Search ${resource.search.map(name => lowered(titleOf(name))).join(', ')}`}
      aria-label={`Search ${resource.plural}`}
      maxLength={255}
      value={here.value.searchParams.get('search') ?? ''}
      onInput={event => {
        const { value } = event.currentTarget
        clearTimeout(timer.value)
        timer.value = window.setTimeout(() => apply(value), PAUSE_MS)
      }}
    />
  )
}

function PeriodFilter({ order }: { order: string }) {
  const bound = (name: 'from' | 'to', label: string) => (
    <label class="labelled">
      {label}
      <input
        type="date"
        value={(here.value.searchParams.get(name) ?? '').slice(0, 10)}
        onChange={event => setQuery({ [name]: event.currentTarget.value || null })}
      />
    </label>
  )
  return (
    <>
      {bound('from', 'From')}
      {bound('to', 'Before')}
      <label class="labelled">
        Jump to
        <input
          type="date"
          value={here.value.searchParams.get('jump') ?? ''}
          onChange={event => setQuery({ jump: event.currentTarget.value || null })}
        />
      </label>
      {here.value.searchParams.has('jump') && (
        <button type="button" onClick={() => setQuery({ jump: null })}>
          Back to the {here.value.searchParams.get('sort') === order ? 'earliest' : 'latest'}
        </button>
      )}
    </>
  )
}

function FilterField({ filter, onClear }: { filter: Filter; onClear: () => void }) {
  const { parameter, title, field, of } = filter
  const value = here.value.searchParams.get(parameter) ?? ''
  const id = useId()
  const set = (next: string): void => setQuery({ [parameter]: next.trim() || null })
  return (
    <span class="labelled filter">
      <label for={id}>{title}</label>
      {of ? (
        <Picker
          id={id}
          resource={of}
          value={idIn(value)}
          onPick={picked => set(picked === null ? '' : String(picked))}
        />
      ) : (
        <FilterInput id={id} field={field} value={value} onChange={set} />
      )}
      <button type="button" class="plain" aria-label={`Remove the filter by ${title}`} onClick={onClear}>
        ×
      </button>
    </span>
  )
}

interface FilterInputProps {
  readonly id: string
  readonly field: Field | null
  readonly value: string
  readonly onChange: (value: string) => void
}

function FilterInput({ id, field, value, onChange }: FilterInputProps) {
  const choices = field?.kind === 'boolean' ? ['true', 'false'] : (field?.choices ?? field?.known)
  if (choices)
    return (
      <select id={id} value={value} onChange={event => onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {choices.map(choice => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  return <input id={id} value={value} onChange={event => onChange(event.currentTarget.value)} />
}
