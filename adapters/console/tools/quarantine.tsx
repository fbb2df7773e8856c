import { useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
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

/** Shows switch records that could not be used, to be retried once the cause is gone, or discarded. */
export function QuarantineScreen() {
  const { searchParams } = here.value
  const reason = searchParams.get('reason') ?? ''
  const waiting = useLoaded(`/api/console/quarantine?${searchParams}`, objectOf)
  const mayChange = may('change', 'quarantine')
  const chosen = useSignal<ReadonlySet<number>>(new Set())
  const isDiscarding = useSignal(false)
  const send = async (what: 'replay' | 'discard'): Promise<void> => {
    isDiscarding.value = false
    try {
      const { message } = await request('POST', `/api/console/quarantine/${what}`, { json: { ids: [...chosen.value] } })
      note(message)
      chosen.value = new Set()
    } catch (error) {
      noteTrouble(error)
    }
    waiting.reload()
  }
  const choose = (id: number, isChosen: boolean): void => {
    const next = new Set(chosen.value)
    if (isChosen) next.add(id)
    else next.delete(id)
    chosen.value = next
  }
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
        {mayChange && (
          <>
            <button type="button" disabled={chosen.value.size === 0} onClick={() => void send('replay')}>
              Try {chosen.value.size || ''} again
            </button>
            <button
              type="button"
              class="danger"
              disabled={chosen.value.size === 0}
              onClick={() => {
                isDiscarding.value = true
              }}
            >
              Discard {chosen.value.size || ''}
            </button>
          </>
        )}
      </search>
      <p class="hint">Times in {zoneShown()}.</p>
      <Shown of={waiting}>
        {data => {
          const records = objectsOf(data['records'])
          if (records.length === 0)
            return (
              <div class="nothing">
                {reason === '' ? 'Every record of a switch could be used.' : 'No record matches.'}
              </div>
            )
          return (
            <>
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
              {data['is_more'] === true && <p class="hint">There are more; these are the oldest.</p>}
            </>
          )
        }}
      </Shown>
      {isDiscarding.value && (
        <Dialog
          title={`Discard ${chosen.value.size} records for good?`}
          onClose={() => {
            isDiscarding.value = false
          }}
        >
          <p>Their calls will never be billed.</p>
          <div class="actions">
            <button type="button" class="danger" onClick={() => void send('discard')}>
              Discard
            </button>
            <button
              type="button"
              onClick={() => {
                isDiscarding.value = false
              }}
            >
              Keep
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
