import { type Signal, useSignal } from '@preact/signals'
import { Confirmation } from '../parts/dialog.tsx'
import { Shown, SimpleTable } from '../parts/states.tsx'
import { request } from '../state/api.ts'
import { objectOf, objectsOf, useLoaded } from '../state/load.ts'
import { here, setQuery } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { momentShown, zoneShown } from '../state/shown.ts'

const COLUMNS = [
  { name: 'choice', title: '' },
  { name: 'reason', title: 'Why it could not be used' },
  { name: 'record', title: 'Record' },
  { name: 'feed', title: 'Feed' },
  { name: 'seen', title: 'Seen', isNumber: true },
  { name: 'created_at', title: 'Since', isWhole: true },
]

type Chosen = Signal<ReadonlySet<number>>

/** Shows switch records that could not be used, to be retried once the cause is gone, or discarded. */
export function QuarantineScreen() {
  const { searchParams } = here.value
  const reason = searchParams.get('reason') ?? ''
  const waiting = useLoaded(`/api/console/quarantine?${searchParams}`, objectOf)
  const chosen: Chosen = useSignal<ReadonlySet<number>>(new Set())
  return (
    <>
      <header class="title">
        <h1>Quarantine</h1>
      </header>
      <search class="filters">
        <input
          type="search"
          aria-label="Reason"
          placeholder="Reason"
          value={reason}
          onChange={event => setQuery({ reason: event.currentTarget.value.trim() || null })}
        />
        {may('change', 'quarantine') && <Decisions chosen={chosen} onDone={waiting.reload} />}
      </search>
      <p class="hint">Times in {zoneShown()}.</p>
      <Shown of={waiting}>
        {data =>
          objectsOf(data['records']).length > 0 ? (
            <>
              <Waiting records={objectsOf(data['records'])} chosen={chosen} />
              {data['is_more'] === true && <p class="hint">There are more; these are the oldest.</p>}
            </>
          ) : (
            <div class="nothing">
              {reason === '' ? 'Every record of a switch could be used.' : 'No record matches.'}
            </div>
          )
        }
      </Shown>
    </>
  )
}

/** Tries the chosen records again, or discards them after a question. */
function Decisions({ chosen, onDone }: { readonly chosen: Chosen; readonly onDone: () => void }) {
  const isDiscarding = useSignal(false)
  const { size } = chosen.value
  const close = (): void => {
    isDiscarding.value = false
  }
  const send = async (what: 'replay' | 'discard'): Promise<void> => {
    close()
    try {
      const { message } = await request('POST', `/api/console/quarantine/${what}`, { json: { ids: [...chosen.value] } })
      note(message)
      chosen.value = new Set()
    } catch (error) {
      noteTrouble(error)
    }
    onDone()
  }
  return (
    <>
      <button type="button" disabled={size === 0} onClick={() => void send('replay')}>
        Try {size || ''} again
      </button>
      <button type="button" class="danger" disabled={size === 0} onClick={() => (isDiscarding.value = true)}>
        Discard {size || ''}
      </button>
      {isDiscarding.value && (
        <Confirmation
          title={`Discard ${size} records for good?`}
          action="Discard"
          onConfirm={() => void send('discard')}
          onClose={close}
        >
          <p>Their calls will never be billed.</p>
        </Confirmation>
      )}
    </>
  )
}

interface WaitingProps {
  readonly records: readonly Readonly<Record<string, unknown>>[]
  readonly chosen: Chosen
}

function Waiting({ records, chosen }: WaitingProps) {
  const choose = (id: number, isChosen: boolean): void => {
    const others = [...chosen.value].filter(each => each !== id)
    chosen.value = new Set(isChosen ? [...others, id] : others)
  }
  return (
    <SimpleTable
      label="Records in quarantine"
      columns={COLUMNS}
      rows={records.map(({ id, reason, record, feed, seen, created_at }) => ({
        choice: (
          <input
            type="checkbox"
            aria-label={`Choose record ${id}`}
            checked={chosen.value.has(Number(id))}
            onChange={event => choose(Number(id), event.currentTarget.checked)}
          />
        ),
        reason: <bdi>{String(reason)}</bdi>,
        record: (
          <code class="cut" title={String(record)}>
            {String(record)}
          </code>
        ),
        feed: <bdi>{String(feed)}</bdi>,
        seen: String(seen),
        created_at: momentShown(created_at),
      }))}
    />
  )
}
