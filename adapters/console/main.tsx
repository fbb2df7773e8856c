import { render } from 'preact'
import { App } from './app.tsx'
import { listenForKeys } from './keys/shortcuts.ts'
import { followLinks } from './state/location.ts'
import { noteTrouble } from './state/notes.ts'
import { resume } from './state/session.ts'
import './styles/index.css'

void resume().catch(noteTrouble)
followLinks()
listenForKeys()
render(<App />, document.body)
