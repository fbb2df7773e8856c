import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Refusal } from '../state/api.ts'
import { me, signIn, signOut } from '../state/session.ts'

/** Asks for e-mail and password; counts down after too many failures. */
export function SignInForm({ email: known }: { email?: string }) {
  const email = useSignal(known ?? '')
  const password = useSignal('')
  const trouble = useSignal<string | null>(null)
  const wait = useSignal(0)
  const isBusy = useSignal(false)
  useEffect(() => {
    if (wait.value <= 0) return
    const timer = setTimeout(() => wait.value--, 1_000)
    return () => clearTimeout(timer)
  }, [wait.value])
  const submit = async (): Promise<void> => {
    isBusy.value = true
    trouble.value = null
    try {
      await signIn(email.value, password.value)
    } catch (error) {
      trouble.value = error instanceof Error ? error.message : String(error)
      if (error instanceof Refusal && error.status === 429) wait.value = Math.ceil(error.retryAfter ?? 60)
      password.value = ''
    } finally {
      isBusy.value = false
    }
  }
  const minutes = Math.floor(wait.value / 60)
  return (
    <form
      class="sign-in"
      method="post"
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        E-mail
        <input
          type="email"
          name="email"
          autocomplete="username"
          required
          readOnly={known !== undefined}
          value={email.value}
          onInput={event => (email.value = event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Password
        <input
          type="password"
          name="password"
          autocomplete="current-password"
          required
          value={password.value}
          onInput={event => (password.value = event.currentTarget.value)}
        />
      </label>
      <div role="alert">
        {trouble.value && <p class="error">{trouble.value}</p>}
        {wait.value > 0 && (
          <p>
            Try again in {minutes > 0 ? `${minutes} min ` : ''}
            {wait.value % 60} s.
          </p>
        )}
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy.value || wait.value > 0}>
          Log in
        </button>
        {known !== undefined && me.value && (
          <button type="button" onClick={() => void signOut()}>
            Log out instead
          </button>
        )}
      </div>
    </form>
  )
}
