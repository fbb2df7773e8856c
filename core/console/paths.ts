import { resources } from '../resources/all.ts'
import { collectionOf } from '../resources/resource.ts'

/** Console pages that do not show a single collection. */
export const PAGES = [
  'usage',
  'quote',
  'rerate',
  'quarantine',
  'audit',
  'accounts',
  'sessions',
  'import',
  'jobs',
] as const
export type PageName = (typeof PAGES)[number]

const collections: ReadonlySet<string> = new Set(resources.map(collectionOf))
const pages: ReadonlySet<string> = new Set(PAGES)
const RECORD = /^(?:new|[1-9]\d{0,15})$/

/** A page of the console: the dashboard, a tool, a collection or one of its records. */
export type Place =
  | { readonly at: 'dashboard' }
  | { readonly at: PageName }
  | { readonly at: 'list'; readonly collection: string }
  | { readonly at: 'record'; readonly collection: string; readonly id: number | 'new' }

const isPage = (segment: string): segment is PageName => pages.has(segment)

/** Returns the page at a path of the console; null if there is none. */
export function placeAt(path: string): Place | null {
  const [first = '', second, ...rest] = path.replace(/^\//, '').split('/')
  if (rest.length > 0) return null
  if (second === undefined) {
    if (first === '') return { at: 'dashboard' }
    if (isPage(first)) return { at: first }
    return collections.has(first) ? { at: 'list', collection: first } : null
  }
  if (!collections.has(first) || !RECORD.test(second)) return null
  return { at: 'record', collection: first, id: second === 'new' ? second : Number(second) }
}
