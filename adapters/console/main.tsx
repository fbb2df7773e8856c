import { render } from 'preact'
import { App } from './app.tsx'
import { listenForKeys } from './keys/shortcuts.ts'
import { followLinks } from './state/location.ts'
import './styles/index.css'

followLinks()
listenForKeys()
render(<App />, document.body)
