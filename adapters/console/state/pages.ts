import type { AREAS, Operation } from '../../../core/access/policy.ts'
import { PAGES, type PageName, type Place } from '../../../core/console/paths.ts'
import { resourceNamed, resourceOf, resources } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { may } from './session.ts'
import { pathOf } from './shown.ts'

/** Where somebody can go. */
export interface Destination {
  readonly href: string
  readonly title: string
}

interface Page {
  readonly title: string
  /** The permission needed to be offered it. */
  readonly needs: readonly [Operation, on: Pick<Resource, 'name'> | keyof typeof AREAS]
}

/** Pages that do not show a single collection. */
const pages: Readonly<Record<PageName, Page>> = {
  usage: { title: 'Usage', needs: ['read', resourceNamed('cdrs')] },
  quote: { title: 'Quote', needs: ['read', resourceNamed('rates')] },
  rerate: { title: 'Rate calls again', needs: ['change', resourceNamed('cdrs')] },
  quarantine: { title: 'Quarantine', needs: ['read', 'quarantine'] },
  audit: { title: 'Audit trail', needs: ['read', 'audit'] },
  accounts: { title: 'Accounts', needs: ['change', 'accounts'] },
  sessions: { title: 'Sessions', needs: ['change', 'sessions'] },
  import: { title: 'Import', needs: ['change', 'jobs'] },
  jobs: { title: 'Jobs', needs: ['read', 'jobs'] },
}

export const titleOfPage = (page: PageName): string => pages[page].title

const HOME: Destination = { href: '/', title: 'Dashboard' }

/** Records that no form creates. */
const MADE_ELSEWHERE: ReadonlySet<string> = new Set(['sms_messages'])

/** True if a form can create, change or delete a record. */
export const canEdit = (operation: 'create' | 'change', resource: Resource): boolean =>
  may(operation, resource) && !MADE_ELSEWHERE.has(resource.name)

export function isOffered(place: Place): boolean {
  if (place.at === 'dashboard') return true
  if (place.at !== 'list' && place.at !== 'record') return may(...pages[place.at].needs)
  const resource = resourceOf(place.collection)
  if (!resource) return false
  return place.at === 'record' && place.id === 'new' ? canEdit('create', resource) : may('read', resource)
}

const toList = (resource: Resource): Destination => ({ href: pathOf(resource), title: resource.plural })
const tools = (): readonly Destination[] =>
  PAGES.filter(at => isOffered({ at })).map(at => ({ href: `/${at}`, title: pages[at].title }))
const readable = (): readonly Resource[] => resources.filter(resource => may('read', resource))

/** The entries of the menu; resources without one are found with what they belong to. */
export const menu = (): readonly Destination[] => [
  HOME,
  ...readable()
    .filter(({ path, name }) => path !== null || MADE_ELSEWHERE.has(name))
    .map(toList),
  ...tools(),
]

/** Everywhere that the palette leads. */
export const destinations = (): readonly Destination[] => [
  HOME,
  ...readable().map(toList),
  ...resources
    .filter(resource => canEdit('create', resource))
    .map(resource => ({ href: pathOf(resource, 'new'), title: `New ${resource.label}` })),
  ...tools(),
]
