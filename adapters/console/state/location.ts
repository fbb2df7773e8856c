import { computed, signal } from '@preact/signals'
import { type Place, placeAt } from '../../../core/console/paths.ts'

const read = (): URL => new URL(location.href)

/** Where the browser is. All that a page shows by choice, such as filters, is in its query. */
export const here = signal(read())

export const place = computed((): Place | null => placeAt(here.value.pathname))

/** Asked before a place is left; false keeps the browser where it is. */
let mayLeave: () => boolean = () => true

/** Lets a form keep what was typed from being lost. Returns how to let go again. */
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

export function go(to: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  const target = new URL(to, location.href)
  if (target.href === here.value.href) return
  if (target.pathname !== here.value.pathname && !mayLeave()) return
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', target)
  if (target.pathname !== here.value.pathname) scrollTo(0, 0)
  here.value = target
}

/** Sets parameters of the page; null takes one away. */
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

/** Is this a click that the browser would follow within its window? */
const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented

/** Follows links to the console's own pages without loading anything. */
export function followLinks(): void {
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlainClick(event) || link.target !== '' || link.download !== '') return
    const target = new URL(link.href, location.href)
    if (target.origin !== location.origin || !placeAt(target.pathname)) return
    event.preventDefault()
    go(target.href)
  })
  addEventListener('popstate', () => {
    const from = here.value
    if (location.pathname !== from.pathname && !mayLeave()) history.pushState(null, '', from)
    else here.value = read()
  })
}
