import { signal } from '@preact/signals'
import { placeAt } from '../../../core/console/paths.ts'
import { resourceOf } from '../../../core/resources/all.ts'
import { go, place } from '../state/location.ts'
import { canEdit, destinations, isOffered } from '../state/pages.ts'
import { remember, remembered } from '../state/preferences.ts'

/** The keyboard window that is open. */
export const opened = signal<'palette' | 'help' | null>(null)

/** True if single letters are shortcuts while no field has the focus. */
export const hasLetters = signal(remembered('letters') !== 'off')

export function setLetters(value: boolean): void {
  hasLetters.value = value
  remember('letters', value ? null : 'off')
}

/** The letter after `g` that leads to each page. */
const LETTERS: Readonly<Record<string, string>> = {
  h: '/',
  t: '/tenants',
  e: '/extensions',
  d: '/dids',
  q: '/queues',
  r: '/rates',
  c: '/cdrs',
  k: '/trunks',
  g: '/sms-gateways',
  m: '/sms-messages',
  u: '/usage',
  a: '/audit',
}

/** Returns what each key does, for the help window. */
export const help = (): readonly (readonly [keys: string, what: string])[] => [
  ['/', 'Search the list'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Choose the row, or no longer'],
  ['e', 'Change the chosen rows, or edit the row'],
  ['n', 'New record of this kind'],
  ['Ctrl+S', 'Save the form'],
  ['Ctrl+K  .', 'Go anywhere by name'],
  ['?', 'Show these keys'],
  ...Object.entries(LETTERS).flatMap(([letter, path]) => {
    const destination = destinations().find(({ href }) => href === path)
    return destination ? [[`g ${letter}`, destination.title] as const] : []
  }),
]

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))

/** How long `g` waits for its letter. */
const WAIT_MS = 1_500

/** Listens for the keys that work everywhere. */
export function listenForKeys(): void {
  let goesSince = Number.NEGATIVE_INFINITY
  addEventListener('keydown', event => {
    const { key, ctrlKey, metaKey, altKey } = event
    const isInDialog = document.querySelector('dialog[open]') !== null
    if ((ctrlKey || metaKey) && !altKey) {
      if ((key === 's' && (isInDialog || save())) || key === 'k') event.preventDefault()
      if (key === 'k' && !isInDialog) opened.value = 'palette'
      return
    }
    if (altKey || isTyping(event.target) || !hasLetters.value || isInDialog) return
    const isGoing = event.timeStamp - goesSince < WAIT_MS
    goesSince = !isGoing && key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const to = isGoing ? LETTERS[key] : undefined
    if (to !== undefined) visit(to)
    else if (isGoing || key === 'g' || !act(key)) return
    event.preventDefault()
  })
}

function visit(path: string): void {
  const to = placeAt(path)
  if (to && isOffered(to)) go(path)
}

/** Submits the form of the page; returns false if there is none. */
function save(): boolean {
  const form = document.querySelector<HTMLFormElement>('form.record')
  form?.requestSubmit()
  return form !== null
}

function act(key: string): boolean {
  switch (key) {
    case '/':
      return focus('input[type=search]')
    case '?':
      opened.value = 'help'
      return true
    case '.':
      opened.value = 'palette'
      return true
    case 'j':
      return moveRow(1)
    case 'k':
      return moveRow(-1)
    case 'x':
      return click(document.activeElement?.closest('.row')?.querySelector<HTMLElement>('.choose input'))
    case 'e':
      return edit()
    case 'n':
      return create()
    default:
      return false
  }
}

function focus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus()
  return element !== null
}

/** Moves the focus to the link of another row, which Enter opens. */
function moveRow(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('.canvas .row a.main')].sort(
    (one, other) => indexOf(one) - indexOf(other),
  )
  const at = links.indexOf(document.activeElement instanceof HTMLElement ? document.activeElement : document.body)
  const next = links[at < 0 ? 0 : at + by]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return next !== undefined
}

const indexOf = (link: HTMLElement): number => Number(link.closest('[aria-rowindex]')?.getAttribute('aria-rowindex'))

function click(element: HTMLElement | null | undefined): boolean {
  element?.click()
  return element !== null && element !== undefined
}

/** Opens the bulk change of the selected rows; without any, the row itself. */
function edit(): boolean {
  if (focus('.bulk [data-edit]')) return true
  const { activeElement } = document
  return activeElement instanceof HTMLElement && activeElement.matches('.row a.main') && click(activeElement)
}

function create(): boolean {
  const at = place.value
  const resource = at?.at === 'list' ? resourceOf(at.collection) : undefined
  if (at?.at !== 'list' || !resource || !canEdit('create', resource)) return false
  go(`/${at.collection}/new`)
  return true
}
