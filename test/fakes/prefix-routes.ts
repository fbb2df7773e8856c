import type { PrefixRoutes, StoredRoute } from '../../core/ports/prefix-routes.ts'

export function prefixRoutes(): PrefixRoutes {
  let routes: readonly StoredRoute[] = []
  let last = 0
  return {
    all: async () => routes,
    set: async route => {
      const isSame = ({ tenant_id, prefix }: StoredRoute): boolean =>
        tenant_id === route.tenant_id && prefix === route.prefix
      const stored = { ...route, id: routes.find(isSame)?.id ?? ++last }
      routes = [...routes.filter(({ id }) => id !== stored.id), stored]
      return stored
    },
    remove: async id => {
      const count = routes.length
      routes = routes.filter(route => route.id !== id)
      return routes.length < count
    },
  }
}
