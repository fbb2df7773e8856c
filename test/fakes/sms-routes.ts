import type { SmsRoutes } from '../../core/ports/sms-routes.ts'
import type { SmsRoute } from '../../core/sms/routes.ts'

export function smsRoutes(): SmsRoutes {
  let routes: readonly SmsRoute[] = []
  let last = 0
  return {
    all: async () => routes,
    set: async route => {
      const kept = routes.filter(({ tenant_id, prefix }) => tenant_id !== route.tenant_id || prefix !== route.prefix)
      const added = { ...route, id: ++last }
      routes = [...kept, added]
      return added
    },
    remove: async id => {
      const count = routes.length
      routes = routes.filter(route => route.id !== id)
      return routes.length < count
    },
  }
}
