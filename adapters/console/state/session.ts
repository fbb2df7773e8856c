import { signal } from '@preact/signals'
import { isJsonObject } from '../../../core/json.ts'
import { onSignedOut, Refusal, request } from './api.ts'

export interface Me {
  readonly name: string
  readonly email: string
}

/** undefined: not known yet; null: nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined)

/** The session has ended while something was shown: a password is asked for over it. */
export const isExpired = signal(false)

let waiting: (() => void)[] = []
onSignedOut(() => {
  if (!me.value) me.value = null
  else isExpired.value = true
  return new Promise(resolve => waiting.push(resolve))
})

function welcome(data: unknown): void {
  const { name, email } = isJsonObject(data) ? data : {}
  me.value = { name: String(name), email: String(email) }
  isExpired.value = false
  for (const go of waiting) go()
  waiting = []
}

/** Finds out who is signed in. */
export async function resume(): Promise<void> {
  try {
    welcome((await request('GET', '/api/admin/me', { isSigningIn: true })).data)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
    me.value = null
  }
}

/** Throws Refusal. */
export async function signIn(email: string, password: string): Promise<void> {
  welcome((await request('POST', '/api/admin/login', { json: { email, password }, isSigningIn: true })).data)
}

export async function signOut(): Promise<void> {
  await request('POST', '/api/admin/logout', { isSigningIn: true })
  sessionStorage.clear()
  location.assign('/')
}
