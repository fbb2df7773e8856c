import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { submitting } from '../parts/controls.tsx'
import { Refusal } from '../state/api.ts'
import { me, signIn, signOut } from '../state/session.ts'

/** A number of seconds that counts down to 0. */
function useCountdown(): Signal<number> {
  const left = useSignal(0)
  useEffect(() => {
    if (left.value <= 0) return
    const timer = setTimeout(() => left.value--, 1_000)
    return () => clearTimeout(timer)
  }, [left.value])
  return left
}

/** Asks for e-mail and password; counts down after too many failures. */
export function SignInForm({ email: fixed }: { email?: string }) {
  const email = useSignal(fixed ?? '')
  const password = useSignal('')
  const trouble = useSignal<string | null>(null)
  const wait = useCountdown()
  const isBusy = useSignal(false)
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
  return (
    <form class="sign-in" method="post" onSubmit={submitting(submit)}>
      <Typed title="E-mail" type="email" autocomplete="username" isFixed={fixed !== undefined} of={email} />
      <Typed title="Password" type="password" autocomplete="current-password" of={password} />
      <div role="alert">
        {trouble.value && <p class="error">{trouble.value}</p>}
        {wait.value > 0 && <p>Try again in {durationShown(wait.value)}.</p>}
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy.value || wait.value > 0}>
          Log in
        </button>
        {fixed !== undefined && me.value && (
          <button type="button" onClick={() => void signOut()}>
            Log out instead
          </button>
        )}
      </div>
    </form>
  )
}

/** Formats a duration: “2 min 5 s”. */
function durationShown(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${minutes > 0 ? `${minutes} min ` : ''}${seconds % 60} s`
}

interface TypedProps {
  readonly title: string
  /** Also its name. */
  readonly type: 'email' | 'password'
  readonly autocomplete: 'username' | 'current-password'
  readonly isFixed?: boolean
  readonly of: Signal<string>
}

const Typed = ({ title, type, autocomplete, isFixed = false, of }: TypedProps) => (
  <label class="field">
    {title}
    <input
      {...(type === 'email' ? { type } : { type })}
      name={type}
      autocomplete={autocomplete}
      required
      readOnly={isFixed}
      value={of.value}
      onInput={event => (of.value = event.currentTarget.value)}
    />
  </label>
)
