import { useSignal } from '@preact/signals'
import { resourceNamed } from '../../../core/resources/all.ts'
import { Picker } from '../parts/picker.tsx'
import { SimpleTable } from '../parts/states.tsx'
import { Refusal, request } from '../state/api.ts'
import { objectOf, objectsOf } from '../state/load.ts'
import { here, setQuery } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { momentShown } from '../state/shown.ts'
import { lastMonth } from './usage.tsx'

const COLUMNS = [
  { name: 'started_at', title: 'Began', isWhole: true },
  { name: 'destination_number', title: 'Number' },
  { name: 'old_prefix', title: 'Prefix then' },
  { name: 'new_prefix', title: 'Prefix now' },
  { name: 'old_cost', title: 'Cost then', isNumber: true },
  { name: 'new_cost', title: 'Cost now', isNumber: true },
]

type Result = Readonly<Record<string, unknown>>

/** Rates a tenant's calls again: shows first what would change, then changes it. */
export function RerateScreen() {
  const { searchParams } = here.value
  const result = useSignal<Result | null>(null)
  const errors = useSignal<Readonly<Record<string, readonly string[]>>>({})
  const isBusy = useSignal(false)
  const tenant = searchParams.get('tenant')
  const month = searchParams.get('month') ?? lastMonth()
  const isUnratedOnly = searchParams.get('unrated') === 'true'
  const change = (changes: Parameters<typeof setQuery>[0]): void => {
    result.value = null
    setQuery(changes, true)
  }
  const rerate = async (isDry: boolean): Promise<void> => {
    errors.value = {}
    isBusy.value = true
    const json = { tenant_id: tenant && Number(tenant), month, unrated_only: isUnratedOnly, dry_run: isDry }
    try {
      const { data, message } = await request('POST', '/api/console/calls/rerate', { json })
      result.value = objectOf(data)
      if (!isDry) note(message)
    } catch (error) {
      if (error instanceof Refusal && Object.keys(error.errors).length > 0) errors.value = error.errors
      else noteTrouble(error)
    } finally {
      isBusy.value = false
    }
  }
  const sentences = Object.values(errors.value).flat()
  return (
    <>
      <header class="title">
        <h1>Rate calls again</h1>
      </header>
      <p class="hint">
        Each call by the rates that were in force when it began, as those are now. The ratings that are replaced are
        kept.
      </p>
      <form
        class="filters"
        onSubmit={event => {
          event.preventDefault()
          void rerate(true)
        }}
      >
        <span class="labelled">
          <label for="rerate-tenant">Tenant</label>
          <Picker
            id="rerate-tenant"
            resource={resourceNamed('tenants')}
            value={tenant === null ? null : Number(tenant)}
            onPick={id => change({ tenant: id === null ? null : String(id) })}
          />
        </span>
        <label class="labelled">
          Month
          <input type="month" value={month} onChange={event => change({ month: event.currentTarget.value || null })} />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isUnratedOnly}
            onChange={event => change({ unrated: event.currentTarget.checked ? 'true' : null })}
          />
          Unrated only
        </label>
        <button type="submit" class="primary" disabled={isBusy.value}>
          Show what would change
        </button>
      </form>
      <div role="alert">
        {sentences.map(sentence => (
          <p key={sentence} class="error">
            {sentence}
          </p>
        ))}
      </div>
      <div aria-live="polite">
        {isBusy.value && <p class="hint">Rating…</p>}
        {result.value && <Outcome result={result.value} onRun={() => void rerate(false)} isBusy={isBusy.value} />}
      </div>
    </>
  )
}

const count = (value: unknown): string => Number(value).toLocaleString('en')

function Outcome({ result, onRun, isBusy }: { result: Result; onRun: () => void; isBusy: boolean }) {
  const { dry_run, examined, changed, old_cost, new_cost, still_unrated, edited_by_hand, without_deck } = result
  const changes = objectsOf(result['changes'])
  const isDry = dry_run === true
  if (Number(examined) === 0) return <p class="nothing">No call of a switch in this month can be rated again.</p>
  return (
    <section aria-label="What changes">
      <p>
        <b>
          {count(changed)} of {count(examined)}
        </b>{' '}
        calls {isDry ? 'would change' : 'were changed'}: {String(old_cost)} → <b>{String(new_cost)}</b>.{' '}
        {Number(still_unrated) > 0 && `${count(still_unrated)} stay unrated. `}
        {Number(edited_by_hand) > 0 && `${count(edited_by_hand)} of them had a cost that was edited by hand. `}
        {Number(without_deck) > 0 && `${count(without_deck)} stay as they are: the rates of their time are not kept.`}
      </p>
      {changes.length > 0 && (
        <SimpleTable
          label="Changes"
          columns={COLUMNS}
          rows={changes.map(({ id, started_at, destination_number, ...others }) => ({
            ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value ?? '—')])),
            started_at: <a href={`/cdrs/${id}`}>{momentShown(started_at)}</a>,
            destination_number: <bdi>{String(destination_number)}</bdi>,
          }))}
        />
      )}
      {Number(changed) > changes.length && <p class="hint">These are the first {changes.length}.</p>}
      {isDry && Number(changed) > 0 && (
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy} onClick={onRun}>
            Change {count(changed)} {Number(changed) === 1 ? 'call' : 'calls'}
          </button>
        </div>
      )}
    </section>
  )
}
