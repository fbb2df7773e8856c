import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { listenForKeys } from './keys/shortcuts.ts'
import { get, isReachable } from './state/api.ts'
import { followLinks } from './state/location.ts'
import { noteTrouble } from './state/notes.ts'
import { me, resume } from './state/session.ts'
import './styles/index.css'

const AGAIN_MS = 2_000

/** Looks whether the service is back, and goes on then. */
async function look(): Promise<void> {
  await get('/healthz')
  if (me.value === undefined) await resume()
}

effect(() => {
  if (isReachable.value) return
  const timer = setInterval(() => void look().catch(() => {}), AGAIN_MS)
  return () => clearInterval(timer)
})

void resume().catch(noteTrouble)
followLinks()
listenForKeys()
render(<App />, document.body)
