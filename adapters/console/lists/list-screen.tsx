import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { TENANT } from '../../../core/resources/references/within.ts'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { lazily } from '../parts/lazy.tsx'
import { Trouble } from '../parts/states.tsx'
import { actionsOf } from '../records/panels.ts'
import { here, idIn, setQuery } from '../state/location.ts'
import { canEdit, isOffered, titleOfPage } from '../state/pages.ts'
import { remember, remembered } from '../state/preferences.ts'
import { may, me } from '../state/session.ts'
import { columnsOf, pathOf, usualColumns, zoneShown } from '../state/shown.ts'
import { dayAfter, momentOf, zoneOf } from '../state/zones.ts'
import { Bulk } from './bulk.tsx'
import { Filters } from './filters.tsx'
import { ListSource, SHORT } from './source.ts'
import { Table } from './table.tsx'

interface ListProps {
  readonly resource: Resource
  /** Parameters that the page cannot change, such as the tenant whose extensions these are. */
  readonly fixed?: Readonly<Record<string, string>>
  /** Columns that are the same in each row. */
  readonly without?: readonly string[]
}

const OF_THE_PAGE = new Set(['columns', 'tab', 'jump', 'undo'])
/** Parameters that hold a day in the displayed zone. */
const DAYS = ['from', 'to']

/** Returns the page parameters that select records. */
function selectionIn(page: URLSearchParams, fixed: Readonly<Record<string, string>> = {}): URLSearchParams {
  const chosen = [...page].filter(([name]) => !OF_THE_PAGE.has(name))
  const query = new URLSearchParams(chosen)
  for (const [name, value] of Object.entries(fixed)) query.set(name, value)
  const zone = zoneOf(tenantIn(query))
  for (const name of DAYS) {
    const value = query.get(name)
    if (value !== null) query.set(name, momentOf(value, zone))
  }
  return query
}

/** Returns the only tenant whose records a list shows; null if there are several. */
const tenantIn = (query: URLSearchParams): number | null => idIn(query.get('tenant') ?? query.get(`filter[${TENANT}]`))

/** Lets a list that begins at a day continue from there: back in time, or forward if the earliest come first. */
function jumping(query: URLSearchParams, { order }: Resource): URLSearchParams {
  const day = here.value.searchParams.get('jump')
  if (day === null) return query
  const begun = new URLSearchParams(query)
  const zone = zoneOf(tenantIn(query))
  if (query.get('sort') === order) begun.set('from', momentOf(day, zone))
  else begun.set('to', momentOf(dayAfter(day), zone))
  return begun
}

/** Shows a list of records: filters, columns, rows, and their number. */
export function List({ resource, fixed = {}, without = [] }: ListProps) {
  const selection = selectionIn(here.value.searchParams, fixed)
  const query = jumping(selection, resource)
  const timeZone = zoneOf(tenantIn(selection))
  const changes = useSignal(0)
  const chosen = useSignal<ReadonlySet<number>>(new Set())
  const key = `${collectionOf(resource)}?${query} ${changes.value}`
  const source = useMemo(() => new ListSource(`/api/console/records/${collectionOf(resource)}`, query), [key])
  useEffect(() => {
    chosen.value = new Set()
  }, [key])
  useEffect(() => () => source.close(), [source])
  const columns = chosenColumns(resource, tenantIn(selection) === null ? without : [...without, TENANT])
  const isEmpty = source.state.value === 'ready' && source.known.value === 0
  const error = source.error.value
  const isRefused = error !== null && source.known.value === 0
  return (
    <section class="list">
      <div class="tools">
        <Filters resource={resource} fixed={Object.keys(fixed)} />
        <div class="ends">
          <Columns resource={resource} />
          <ExportButton resource={resource} query={query} />
        </div>
      </div>
      <p class="hint" role="status">
        {!isRefused && <Counted source={source} resource={resource} />}
        {resource.timestamps && <span> Times in {zoneShown(timeZone)}.</span>}
      </p>
      <Bulk resource={resource} chosen={chosen} query={query} onChanged={() => changes.value++} />
      {error && (
        <Trouble error={error} onRetry={() => source.retry()}>
          {isRefused && isFiltered() && <ClearFilters />}
        </Trouble>
      )}
      {isRefused ? null : isEmpty ? (
        <Nothing resource={resource} fixed={fixed} />
      ) : (
        <Table
          label={resource.plural}
          source={source}
          columns={columns}
          sort={here.value.searchParams.get('sort')}
          onSort={sort => setQuery({ sort })}
          href={record => pathOf(resource, record.id)}
          {...(timeZone === undefined ? {} : { timeZone })}
          {...(canEdit('change', resource) ? { chosen } : {})}
        />
      )}
    </section>
  )
}

function chosenColumns(resource: Resource, without: readonly string[]) {
  const named = here.value.searchParams.get('columns') ?? remembered(`columns.${resource.name}`)
  const names = named === null ? usualColumns(resource) : named.split(',')
  const all = columnsOf(resource)
  const found = names.flatMap(name => all.find(column => column.name === name) ?? [])
  const hidden = me.value?.tenant ? [...without, TENANT] : without
  const shown = found.filter(({ name }) => !hidden.includes(name))
  return shown.length > 0 ? shown : all.slice(0, 1)
}

/** Shows the number of records, requested separately, since counting takes longer than showing the first. */
function Counted({ source, resource }: { source: ListSource; resource: Resource }) {
  useEffect(() => {
    const asking = new AbortController()
    source.count(asking.signal).catch(() => {})
    return () => asking.abort()
  }, [source])
  if (source.state.value === 'loading' && source.known.value === 0) return <>Loading…</>
  const total = source.total.value
  if (total === null) return <>More than {source.known.value}.</>
  const number = total > SHORT ? `${SHORT.toLocaleString('en')}+` : total.toLocaleString('en')
  return (
    <>
      {number} {lowered(total === 1 ? resource.label : resource.plural)}.
    </>
  )
}

/** Parameters that leave a list with the same records in the same order. */
const OF_THE_LOOKS = new Set(['columns', 'tab', 'undo'])

const filtersInUse = (): string[] => [...here.value.searchParams.keys()].filter(name => !OF_THE_LOOKS.has(name))

const isFiltered = (): boolean => filtersInUse().length > 0

const ClearFilters = () => (
  <button type="button" onClick={() => setQuery(Object.fromEntries(filtersInUse().map(name => [name, null])))}>
    Clear the filters
  </button>
)

function Nothing({ resource, fixed }: { resource: Resource; fixed: Readonly<Record<string, string>> }) {
  if (filtersInUse().some(name => name !== 'sort'))
    return (
      <div class="nothing">
        <p>No {lowered(resource.label)} matches.</p>
        <ClearFilters />
      </div>
    )
  const preset = new URLSearchParams(
    Object.entries(fixed).map(([name, value]) => [name.replace(/^filter\[(.+)\]$/, '$1'), value]),
  )
  return (
    <div class="nothing">
      <p>There is no {lowered(resource.label)} yet.</p>
      {canEdit('create', resource) && resource.name !== 'cdrs' && (
        <a class="button primary" href={`${pathOf(resource, 'new')}?${preset}`}>
          Add the first
        </a>
      )}
    </div>
  )
}

/** Lets a person choose the columns of the list, for now and for the next time. */
function Columns({ resource }: { resource: Resource }) {
  const chosen = chosenColumns(resource, []).map(({ name }) => name)
  const set = (names: readonly string[] | null): void => {
    remember(`columns.${resource.name}`, names?.join() ?? null)
    setQuery({ columns: names?.join() ?? null }, true)
  }
  return (
    <details class="menu">
      <summary>Columns</summary>
      <div class="popup">
        {columnsOf(resource).map(({ name, title }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={event =>
                set(event.currentTarget.checked ? [...chosen, name] : chosen.filter(each => each !== name))
              }
            />
            {title}
          </label>
        ))}
        <button type="button" onClick={() => set(null)}>
          As usual
        </button>
      </div>
    </details>
  )
}

const ExportDialog = lazily(async () => (await import('../transfer/export-dialog.tsx')).ExportDialog)

function ExportButton({ resource, query }: { resource: Resource; query: URLSearchParams }) {
  const isOpen = useSignal(false)
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Export
      </button>
      {isOpen.value && (
        <ExportDialog
          resource={resource}
          query={query}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </>
  )
}

export function ListScreen({ resource }: { resource: Resource }) {
  return (
    <>
      <header class="title">
        <h1>{resource.plural}</h1>
        <span class="grow" />
        {actionsOf(resource)
          .filter(at => isOffered({ at }))
          .map(at => (
            <a key={at} class="button" href={`/${at}`}>
              {titleOfPage(at)}
            </a>
          ))}
        {canEdit('create', resource) && may('change', 'jobs') && (
          <a class="button" href={`/import?into=${collectionOf(resource)}`}>
            Import
          </a>
        )}
        {canEdit('create', resource) && (
          <a class="button primary" href={pathOf(resource, 'new')}>
            New {lowered(resource.label)}
          </a>
        )}
      </header>
      <List resource={resource} />
    </>
  )
}
