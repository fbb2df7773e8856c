import { apiRoutes } from '../../../adapters/http/app.ts'
import type { Route } from '../../../adapters/http/route.ts'
import { answering } from '../../../bin/compose.ts'
import { exposedResources, resources } from '../../../core/resources/all.ts'
import { collectionOf } from '../../../core/resources/resource.ts'
import type { TestService } from './app.ts'

/** Every route of the router. */
export const routesOf = ({ trunkline, url }: Pick<TestService, 'trunkline' | 'url'>): readonly Route[] =>
  apiRoutes({ ...answering(trunkline), baseUrl: url })

/** The paths that a route stands for, with that id for `:id`. */
export function pathsOf({ path }: Pick<Route, 'path'>, id: (resource: string) => number): readonly string[] {
  const kinds = path.includes(':resource')
    ? exposedResources.map(each => [each.name, path.replace(':resource', String(each.path))])
    : path.includes(':collection')
      ? resources.map(each => [each.name, path.replace(':collection', collectionOf(each))])
      : [[kindIn(path), path.endsWith('/usage') ? `${path}?month=2026-01` : path]]
  return kinds.map(([name = '', each = '']) => each.replace(':id', String(id(name))))
}

const KINDS = {
  '/calls/': 'cdrs',
  '/messages/': 'sms_messages',
  '/accounts/': 'accounts',
  '/jobs/': 'jobs',
  '/uploads/': 'uploads',
}

const kindIn = (path: string): string =>
  Object.entries(KINDS).find(([part]) => path.includes(part))?.[1] ?? 'sms_gateways'
