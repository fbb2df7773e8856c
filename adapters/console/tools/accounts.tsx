import { useSignal } from '@preact/signals'
import {
  accountChangeFields,
  newAccountFields,
  passwordFields,
} from '../../../core/use-cases/accounts/account-fields.ts'
import { Dialog } from '../parts/dialog.tsx'
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
type Doing = 'new' | 'edit' | 'password' | 'delete'

/** Shows the accounts that may log in. The address names the open one, or `new`. */
export function AccountsScreen() {
  const accounts = useLoaded(PATH, objectsOf)
  const madeUp = useSignal<string | null>(null)
  const { searchParams } = here.value
  const chosen = searchParams.get('account')
  const doing = chosen === 'new' ? 'new' : (searchParams.get('do') ?? 'edit')
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
                doing={doing as Doing}
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
  if (doing === 'new')
    return (
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
  if (!account) return null
  const path = `${PATH}/${account['id']}`
  if (doing === 'password')
    return (
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
    )
  if (doing === 'delete')
    return (
      <Dialog title={`Delete the account ${account['email']}?`} onClose={onClose}>
        <p>Its sessions end, and nobody can log in with it any more. What it did stays in the audit trail.</p>
        <div class="actions">
          <button type="button" class="danger" onClick={() => void send('DELETE', path).catch(noteTrouble)}>
            Delete
          </button>
          <button type="button" onClick={onClose}>
            Keep
          </button>
        </div>
      </Dialog>
    )
  const { id, name, role, tenant_id, disabled } = account
  return (
    <FieldsDialog
      title={String(account['email'])}
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
  )
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
