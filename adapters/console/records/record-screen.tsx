import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Pointing, referencesTo } from '../../../core/resources/all.ts'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { List } from '../lists/list-screen.tsx'
import { asRecord, type RecordData, request } from '../state/api.ts'
import { go, here } from '../state/location.ts'
import { note } from '../state/notes.ts'
import { canEdit } from '../state/pages.ts'
import { may, seen } from '../state/session.ts'
import { nameOf, pathOf } from '../state/shown.ts'
import { Deletion } from './deletion.tsx'
import type { Opened } from './editing.ts'
import { RecordForm } from './form.tsx'
import { panelsOf } from './panels.ts'
import { useProposal } from './undo.ts'

export function NewScreen({ resource }: { resource: Resource }) {
  return (
    <>
      <header class="title">
        <div>
          <Crumbs resource={resource} />
          <h1>New {lowered(resource.label)}</h1>
        </div>
      </header>
      <RecordForm
        resource={resource}
        opened={null}
        onSaved={({ id }) => go(pathOf(resource, id), { isReplacing: true })}
      />
    </>
  )
}

const Crumbs = ({ resource }: { resource: Resource }) => (
  <nav aria-label="Where this is" class="crumbs">
    <a href={pathOf(resource)}>{resource.plural}</a>
  </nav>
)

interface Reading {
  readonly opened: Signal<Opened | null>
  readonly error: Signal<Error | null>
  reload(): void
}

/** Reads a record with its version; again on request. */
function useRecord(resource: Resource, id: number): Reading {
  const opened = useSignal<Opened | null>(null)
  const error = useSignal<Error | null>(null)
  const round = useSignal(0)
  const path = `/api/console/records/${collectionOf(resource)}/${id}`
  useEffect(() => {
    const asking = new AbortController()
    error.value = null
    request('GET', path, { signal: asking.signal })
      .then(({ data, headers }) => {
        opened.value = { record: asRecord(data), version: headers.get('etag') ?? '' }
      })
      .catch((reason: Error) => {
        if (!asking.signal.aborted) error.value = reason
      })
    return () => asking.abort()
  }, [path, round.value])
  return { opened, error, reload: () => round.value++ }
}

/** Shows one record: its form, its panels, and a tab for each kind of record that belongs to it. */
export function RecordScreen({ resource, id }: { resource: Resource; id: number }) {
  const { opened, error, reload } = useRecord(resource, id)
  const now = opened.value
  if (error.value)
    return (
      <>
        <h1>
          {resource.label} #{id}
        </h1>
        <div class="nothing">
          <p>{error.value.message}</p>
          <button type="button" onClick={reload}>
            Try again
          </button>{' '}
          <a href={pathOf(resource)}>All {lowered(resource.plural)}</a>
        </div>
      </>
    )
  if (!now || now.record.id !== id) return <p class="hint">Loading…</p>
  const children = referencesTo(resource).filter(({ from }) => may('read', from))
  const tab = here.value.searchParams.get('tab') ?? 'details'
  const child = children.find(pointing => tabOf(pointing) === tab)
  return (
    <>
      <Heading resource={resource} record={now.record} />
      <Tabs
        tabs={[
          ['details', 'Details'],
          ...children.map((pointing): [string, string] => [tabOf(pointing), pointing.from.plural]),
        ]}
        current={child ? tab : 'details'}
      />
      {child ? <Children pointing={child} id={id} /> : <Details resource={resource} opened={now} onSaved={reload} />}
    </>
  )
}

/** The name of a record, and its deletion where it is allowed. */
function Heading({ resource, record }: { resource: Resource; record: RecordData }) {
  const isDeleting = useSignal(false)
  const name = nameOf(resource, record)
  return (
    <>
      <header class="title">
        <div>
          <Crumbs resource={resource} />
          <h1>
            <bdi>{name}</bdi>
          </h1>
        </div>
        {may('delete', resource) && (
          <button type="button" class="danger" onClick={() => (isDeleting.value = true)}>
            Delete
          </button>
        )}
      </header>
      {isDeleting.value && (
        <Deletion
          resource={resource}
          record={record}
          onClose={() => (isDeleting.value = false)}
          onDone={() => {
            note(`${resource.label} ${name} deleted.`)
            go(pathOf(resource), { isDiscarding: true })
          }}
        />
      )}
    </>
  )
}

interface DetailsProps {
  readonly resource: Resource
  readonly opened: Opened
  readonly onSaved: () => void
}

function Details({ resource, opened, onSaved }: DetailsProps) {
  const { record } = opened
  const proposal = useProposal(resource, record.id)
  return (
    <>
      {panelsOf(resource).map((Panel, index) => (
        <Panel key={index} record={record} />
      ))}
      <RecordForm
        key={`${record.id} ${proposal.value ? 'undo' : ''}`}
        resource={resource}
        opened={opened}
        {...(proposal.value ? { proposal: proposal.value } : {})}
        onSaved={onSaved}
      />
    </>
  )
}

const tabOf = ({ from, field }: Pointing): string => `${collectionOf(from)}.${field}`

function Tabs({ tabs, current }: { tabs: readonly (readonly [string, string])[]; current: string }) {
  if (tabs.length < 2) return null
  return (
    <nav class="tabs" aria-label="What belongs to it">
      {tabs.map(([name, title]) => {
        const target = new URL(here.value)
        target.search = name === 'details' ? '' : `?tab=${name}`
        return (
          <a key={name} href={target.href} {...(name === current ? { 'aria-current': 'page' as const } : {})}>
            {title}
          </a>
        )
      })}
    </nav>
  )
}

/** Shows the records that point to this one. */
function Children({ pointing, id }: { pointing: Pointing; id: number }) {
  const { from } = pointing
  const held = Object.entries(pointing.where(id)).map(([name, value]) => [name, String(value)] as const)
  const fixed = Object.fromEntries(held.map(([name, value]) => [`filter[${name}]`, value]))
  return (
    <>
      {canEdit('create', from) && (
        <p class="actions">
          <a
            class="button"
            href={`${pathOf(from, 'new')}?${new URLSearchParams(held.map(([name, value]) => [name, value]))}`}
          >
            New {lowered(from.label)}
          </a>
        </p>
      )}
      <List resource={seen(from)} fixed={fixed} without={held.map(([name]) => name)} />
    </>
  )
}
