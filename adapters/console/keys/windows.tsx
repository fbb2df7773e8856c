import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Check } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { go, here } from '../state/location.ts'
import { type Destination, destinations } from '../state/pages.ts'
import { hasLetters, help, opened, setLetters } from './shortcuts.ts'

const close = (): void => {
  opened.value = null
}

/** The windows of the keyboard: the palette that leads anywhere, and the help for the keys. */
export function KeyWindows() {
  useEffect(close, [here.value])
  if (opened.value === 'help') return <Help />
  return opened.value === 'palette' ? <Palette /> : null
}

function Help() {
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="steps">
        {help().map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Check checked={hasLetters.value} onChange={setLetters}>
        Use single letters as shortcuts
      </Check>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

const MOST = 8

/** True if each typed word begins a word of the title. */
function fits(title: string, typed: string): boolean {
  const words = title.toLowerCase().split(/\s+/)
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(part => words.some(word => word.startsWith(part)))
}

function Palette() {
  const typed = useSignal('')
  const active = useSignal(0)
  const found = destinations()
    .filter(({ title }) => fits(title, typed.value.trim()))
    .slice(0, MOST)
  const leave = (to: Destination | undefined): void => {
    if (!to) return
    close()
    go(to.href)
  }
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        role="combobox"
        aria-label="Go to"
        aria-expanded={true}
        aria-controls="palette"
        aria-activedescendant={`palette-${active.value}`}
        autocomplete="off"
        class="wide"
        value={typed.value}
        onInput={event => {
          typed.value = event.currentTarget.value
          active.value = 0
        }}
        onKeyDown={event => {
          if (event.key === 'Enter') leave(found[active.value])
          else if (event.key === 'ArrowDown') active.value = Math.min(active.value + 1, found.length - 1)
          else if (event.key === 'ArrowUp') active.value = Math.max(active.value - 1, 0)
          else return
          event.preventDefault()
        }}
      />
      <ul id="palette" role="listbox" aria-label="Pages" class="choices">
        {found.map((destination, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <li
            key={destination.href}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active.value}
            onClick={() => leave(destination)}
          >
            {destination.title}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
