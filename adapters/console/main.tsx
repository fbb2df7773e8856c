import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './state/location.ts'
import './style.css'

followLinks()
render(<App />, document.body)
