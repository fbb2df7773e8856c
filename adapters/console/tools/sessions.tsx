import { useSignal } from '@preact/signals'
import { Confirmation } from '../parts/dialog.tsx'
import { Shown, SimpleTable } from '../parts/states.tsx'
import { request } from '../state/api.ts'
import { objectsOf, useLoaded } from '../state/load.ts'
import { here } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { momentShown, zoneShown } from '../state/shown.ts'

const PATH = '/api/console/sessions'
const COLUMNS = [
  { name: 'who', title: 'Who' },
  { name: 'origin', title: 'From' },
  { name: 'since', title: 'Since', isWhole: true },
  { name: 'until', title: 'Ends', isWhole: true },
  { name: 'end', title: '' },
]

/** Shows who is logged in, from where and since when. */
export function SessionsScreen() {
  const sessions = useLoaded(PATH, objectsOf)
  const isAsking = useSignal(false)
  const account = here.value.searchParams.get('account')
  const close = (): void => {
    isAsking.value = false
  }
  const end = async (path: string): Promise<void> => {
    close()
    try {
      note((await request('DELETE', path)).message)
    } catch (error) {
      noteTrouble(error)
    }
    sessions.reload()
  }
  return (
    <>
      <header class="title">
        <h1>Sessions</h1>
        <button type="button" class="danger" onClick={() => (isAsking.value = true)}>
          {account === null ? 'End all' : 'End all of this account'}
        </button>
      </header>
      <p class="hint">
        Times in {zoneShown()}. {account !== null && <a href="/sessions">Show the sessions of all accounts</a>}
      </p>
      <Shown of={sessions}>
        {all => {
          const shown = all.filter(({ account_id }) => account === null || String(account_id) === account)
          if (shown.length === 0) return <div class="nothing">Nobody is logged in with this account.</div>
          return (
            <SimpleTable label="Sessions" columns={COLUMNS} rows={shown.map(session => sessionRow(session, end))} />
          )
        }}
      </Shown>
      {isAsking.value && <EndingAll account={account} end={end} onClose={close} />}
    </>
  )
}

interface EndingAllProps {
  /** null: those of all accounts. */
  readonly account: string | null
  readonly end: (path: string) => Promise<void>
  readonly onClose: () => void
}

const EndingAll = ({ account, end, onClose }: EndingAllProps) => (
  <Confirmation
    title="End the sessions?"
    action="End them"
    refusal="Keep them"
    onConfirm={() => void end(account === null ? PATH : `/api/console/accounts/${account}/sessions`)}
    onClose={onClose}
  >
    <p>
      {account === null ? 'Everybody has to log in again, you too.' : 'Whoever uses this account has to log in again.'}
    </p>
  </Confirmation>
)

function sessionRow(session: Readonly<Record<string, unknown>>, end: (path: string) => Promise<void>) {
  const { id, email, name, origin, created_at, expires_at } = session
  const since = momentShown(created_at)
  return {
    who: (
      <>
        <bdi>{String(name)}</bdi> <span class="hint">{String(email)}</span>
      </>
    ),
    origin: origin === null ? 'unknown' : <bdi>{String(origin)}</bdi>,
    since,
    until: momentShown(expires_at),
    end: (
      <button
        type="button"
        aria-label={`End the session of ${email} since ${since}`}
        onClick={() => void end(`${PATH}/${id}`)}
      >
        End
      </button>
    ),
  }
}
