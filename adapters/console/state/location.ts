import { computed, signal } from '@preact/signals'
import { type Place, placeAt } from '../../../core/console/paths.ts'

const read = (): URL => new URL(location.href)

/** The browser's location. Its query holds all choices of a page, such as filters. */
export const here = signal(read())

export const place = computed((): Place | null => placeAt(here.value.pathname))

/** What makes a page another: all but the part after `#`. */
const pageOf = ({ pathname, search }: URL): string => pathname + search

/** Called before a page is left; false keeps the browser there. */
let mayLeave: () => boolean = () => true

/** Protects a form's contents from being lost. Returns a function that ends this. */
export function guardLeaving(isFree: () => boolean, question: string): () => void {
  mayLeave = () => isFree() || confirm(question)
  const onUnload = (event: BeforeUnloadEvent): void => {
    if (!isFree()) event.preventDefault()
  }
  addEventListener('beforeunload', onUnload)
  return () => {
    mayLeave = () => true
    removeEventListener('beforeunload', onUnload)
  }
}

interface Going {
  /** True to take the place of the present page in the history. */
  readonly isReplacing?: boolean
  /** True if what is typed on the present page is of no use any more. */
  readonly isDiscarding?: boolean
}

export function go(to: string, { isReplacing = false, isDiscarding = false }: Going = {}): void {
  const target = new URL(to, location.href)
  if (pageOf(target) === pageOf(here.value) || !(isDiscarding || mayLeave())) return
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', target)
  if (target.pathname !== here.value.pathname) scrollTo(0, 0)
  here.value = target
}

/** Returns the id in a text; null if it is none. */
export const idIn = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null

/** Returns the id that a parameter of the page holds; null without one. */
export const idAsked = (name: string): number | null => idIn(here.value.searchParams.get(name))

/** Sets parameters of the page; null removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | readonly string[] | null>>,
  isReplacing = false,
): void {
  const target = new URL(here.value)
  for (const [name, value] of Object.entries(changes)) {
    target.searchParams.delete(name)
    for (const each of value === null ? [] : [value].flat()) target.searchParams.append(name, each)
  }
  go(target.href, { isReplacing })
}

/** True for a click that the browser would follow in the same window. */
const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented

/** Follows links to the console's own pages without loading anything. */
export function followLinks(): void {
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlainClick(event) || link.target !== '' || link.download !== '') return
    const target = new URL(link.href, location.href)
    if (target.origin !== location.origin || !placeAt(target.pathname)) return
    if (target.hash !== '' && pageOf(target) === pageOf(here.value)) return
    event.preventDefault()
    go(target.href)
  })
  addEventListener('popstate', () => {
    const [from, to] = [here.value, read()]
    if (pageOf(to) === pageOf(from)) return
    if (mayLeave()) here.value = to
    else history.pushState(null, '', from)
  })
}
