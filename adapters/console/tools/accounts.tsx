import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import {
  accountChangeFields,
  newAccountFields,
  passwordFields,
} from '../../../core/use-cases/accounts/account-fields.ts'
import { Confirmation, Dialog } from '../parts/dialog.tsx'
import { Shown, SimpleTable } from '../parts/states.tsx'
import { FieldsDialog } from '../records/fields-dialog.tsx'
import { request } from '../state/api.ts'
import { objectOf, objectsOf, useLoaded } from '../state/load.ts'
import { here, setQuery } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { me } from '../state/session.ts'
import { momentShown, zoneShown } from '../state/shown.ts'

const PATH = '/api/console/accounts'
const COLUMNS = [
  { name: 'email', title: 'E-mail' },
  { name: 'name', title: 'Name' },
  { name: 'role', title: 'Role' },
  { name: 'tenant', title: 'Tenant' },
  { name: 'state', title: 'State' },
  { name: 'created', title: 'Created', isWhole: true },
]

type Account = Readonly<Record<string, unknown>>
const DOINGS = ['new', 'edit', 'password', 'delete'] as const
type Doing = (typeof DOINGS)[number]

/** Shows the accounts that may log in. The address names the open one, or `new`. */
export function AccountsScreen() {
  const accounts = useLoaded(PATH, objectsOf)
  const madeUp = useSignal<string | null>(null)
  const { searchParams } = here.value
  const chosen = searchParams.get('account')
  const doing = chosen === 'new' ? 'new' : (DOINGS.find(each => each === searchParams.get('do')) ?? 'edit')
  const close = (): void => setQuery({ account: null, do: null })
  const done = (data: unknown): void => {
    const { password } = objectOf(data)
    if (typeof password === 'string') madeUp.value = password
    accounts.reload()
    close()
  }
  return (
    <>
      <header class="title">
        <h1>Accounts</h1>
        <a class="button primary" href="/accounts?account=new">
          New account
        </a>
      </header>
      <p class="hint">
        {me.value?.roles === 'enforced'
          ? 'Roles are enforced: supervisors read and send messages, managers change all but accounts, settings and the deletion of tenants, admins do everything.'
          : 'Roles are not enforced: every account may do everything, as far as it is not tied to a tenant.'}{' '}
        Times in {zoneShown()}.
      </p>
      <Shown of={accounts}>
        {all => (
          <>
            <SimpleTable label="Accounts" columns={COLUMNS} rows={all.map(accountRow)} />
            {chosen !== null && (
              <Opened
                key={`${chosen} ${doing}`}
                account={all.find(({ id }) => String(id) === chosen) ?? null}
                doing={doing}
                onDone={done}
                onClose={close}
              />
            )}
          </>
        )}
      </Shown>
      {madeUp.value !== null && <MadeUp password={madeUp.value} onClose={() => (madeUp.value = null)} />}
    </>
  )
}

const accountRow = ({ id, email, name, role, tenant, tenant_id, disabled, created_at }: Account) => ({
  email: (
    <a href={`/accounts?account=${id}`} class="main">
      <bdi>{String(email)}</bdi>
    </a>
  ),
  name: <bdi>{String(name)}</bdi>,
  role: String(role),
  tenant:
    tenant_id === null ? 'all' : <a href={`/tenants/${tenant_id}`}>{String(tenant ?? `#${tenant_id} (deleted)`)}</a>,
  state: disabled === true ? 'disabled' : 'active',
  created: momentShown(created_at),
})

interface OpenedProps {
  readonly account: Account | null
  readonly doing: Doing
  readonly onDone: (data: unknown) => void
  readonly onClose: () => void
}

function Opened({ account, doing, onDone, onClose }: OpenedProps) {
  const send = async (method: string, path: string, json?: unknown): Promise<void> => {
    const { data, message } = await request(method, path, json === undefined ? {} : { json })
    note(message)
    onDone(data)
  }
  if (doing === 'new') return <Creation send={send} onClose={onClose} />
  if (!account) return null
  const Action = ACTIONS[doing]
  return <Action account={account} path={`${PATH}/${account['id']}`} send={send} onClose={onClose} />
}

interface CreationProps {
  readonly send: (method: string, path: string, json?: unknown) => Promise<void>
  readonly onClose: () => void
}

const Creation = ({ send, onClose }: CreationProps) => (
  <FieldsDialog
    title="New account"
    fields={newAccountFields}
    initial={{ role: 'manager' }}
    action="Create account"
    onSubmit={body => send('POST', PATH, body)}
    onClose={onClose}
  >
    <p class="hint">Without a password a random one is made, and shown once.</p>
  </FieldsDialog>
)

interface ActionProps extends CreationProps {
  readonly account: Account
  /** The path of the account's requests. */
  readonly path: string
}

const ACTIONS: Readonly<Record<Exclude<Doing, 'new'>, (props: ActionProps) => JSX.Element>> = {
  password: ({ account, path, send, onClose }) => (
    <FieldsDialog
      title={`New password of ${account['email']}`}
      fields={passwordFields}
      initial={{}}
      action="Change password"
      onSubmit={body => send('POST', `${path}/password`, body)}
      onClose={onClose}
    >
      <p class="hint">Without one a random one is made, and shown once. The sessions of the account end.</p>
    </FieldsDialog>
  ),
  delete: ({ account, path, send, onClose }) => (
    <Confirmation
      title={`Delete the account ${account['email']}?`}
      action="Delete"
      onConfirm={() => void send('DELETE', path).catch(noteTrouble)}
      onClose={onClose}
    >
      <p>Its sessions end, and nobody can log in with it any more. What it did stays in the audit trail.</p>
    </Confirmation>
  ),
  edit: ({ account: { id, email, name, role, tenant_id, disabled }, path, send, onClose }) => (
    <FieldsDialog
      title={String(email)}
      fields={accountChangeFields}
      initial={{ name, role, tenant_id, disabled }}
      isStored
      action="Save"
      onSubmit={body => send('PATCH', path, body)}
      onClose={onClose}
    >
      <nav class="actions" aria-label="More">
        <a href={`/accounts?account=${id}&do=password`}>New password</a>
        <a href={`/sessions?account=${id}`}>Its sessions</a>
        <a href={`/accounts?account=${id}&do=delete`} class="danger">
          Delete
        </a>
      </nav>
    </FieldsDialog>
  ),
}

/** Shows a password that cannot be read again. */
const MadeUp = ({ password, onClose }: { password: string; onClose: () => void }) => (
  <Dialog title="Its password" onClose={onClose}>
    <p>It is shown only now. Hand it over, and let its owner change it.</p>
    <p>
      <code class="password">{password}</code>
    </p>
    <div class="actions">
      <button
        type="button"
        onClick={() => void navigator.clipboard.writeText(password).then(() => note('Copied.'), noteTrouble)}
      >
        Copy
      </button>
      <button type="button" class="primary" onClick={onClose}>
        Done
      </button>
    </div>
  </Dialog>
)
