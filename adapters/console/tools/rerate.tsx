import { useSignal } from '@preact/signals'
import { Check, submitting, TenantPicker } from '../parts/controls.tsx'
import { SimpleTable } from '../parts/states.tsx'
import { request } from '../state/api.ts'
import { objectOf, objectsOf } from '../state/load.ts'
import { here, idAsked, setQuery } from '../state/location.ts'
import { note } from '../state/notes.ts'
import { momentShown } from '../state/shown.ts'
import { useSubmission } from '../state/submission.ts'
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

/** The calls to rate again. The page's address holds them. */
interface Selection {
  readonly tenant: number | null
  readonly month: string
  readonly isUnratedOnly: boolean
}

function selection(): Selection {
  const { searchParams } = here.value
  return {
    tenant: idAsked('tenant'),
    month: searchParams.get('month') ?? lastMonth(),
    isUnratedOnly: searchParams.get('unrated') === 'true',
  }
}

/** Rates a tenant's calls again: shows first what would change, then changes it. */
export function RerateScreen() {
  const selected = selection()
  const result = useSignal<Result | null>(null)
  const { errors, isBusy, submit } = useSubmission()
  const rerate = (isDry: boolean): Promise<void> =>
    submit(async () => {
      const { tenant, month, isUnratedOnly } = selected
      const json = { tenant_id: tenant, month, unrated_only: isUnratedOnly, dry_run: isDry }
      const { data, message } = await request('POST', '/api/console/calls/rerate', { json })
      result.value = objectOf(data)
      if (!isDry) note(message)
    })
  return (
    <>
      <header class="title">
        <h1>Rate calls again</h1>
      </header>
      <p class="hint">
        Each call by the rates that were in force when it began, as those are now. The ratings that are replaced are
        kept.
      </p>
      <SelectionForm
        selected={selected}
        isBusy={isBusy.value}
        onChange={() => (result.value = null)}
        onSubmit={() => rerate(true)}
      />
      <div role="alert">
        {Object.values(errors.value)
          .flat()
          .map(sentence => (
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

interface SelectionFormProps {
  readonly selected: Selection
  readonly isBusy: boolean
  /** Called before the selection changes. */
  readonly onChange: () => void
  readonly onSubmit: () => Promise<void>
}

function SelectionForm({ selected, isBusy, onChange, onSubmit }: SelectionFormProps) {
  const change = (changes: Parameters<typeof setQuery>[0]): void => {
    onChange()
    setQuery(changes, true)
  }
  return (
    <form class="filters" onSubmit={submitting(onSubmit)}>
      <TenantPicker id="rerate-tenant" tenant={selected.tenant} onPick={tenant => change({ tenant })} />
      <label class="labelled">
        Month
        <input
          type="month"
          value={selected.month}
          onChange={event => change({ month: event.currentTarget.value || null })}
        />
      </label>
      <Check checked={selected.isUnratedOnly} onChange={isOnly => change({ unrated: isOnly ? 'true' : null })}>
        Unrated only
      </Check>
      <button type="submit" class="primary" disabled={isBusy}>
        Show what would change
      </button>
    </form>
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
