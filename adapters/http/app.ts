import type Koa from 'koa'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { LoginCounts } from '../../core/ports/accounts.ts'
import type { Notices } from '../../core/ports/notices.ts'
import type { ServerKeys } from '../../core/ports/server-keys.ts'
import type { Mount } from '../../core/ports/switching/mounts.ts'
import type { Heartbeat } from '../../core/ports/upkeep.ts'
import type { Access, UseCases } from '../../core/use-cases/accounts/access.ts'
import type { AccountKeeping } from '../../core/use-cases/accounts/accounts.ts'
import type { SecurityTrail } from '../../core/use-cases/accounts/security-trail.ts'
import type { SignIn } from '../../core/use-cases/accounts/sign-in.ts'
import type { SmsRouting } from '../../core/use-cases/messaging/sms-routing.ts'
import { allowing } from './access.ts'
import { inTurns } from './clients/in-turns.ts'
import { perClient } from './clients/per-client.ts'
import { accountRoutes } from './console/account-routes.ts'
import { consoleJobRoutes } from './console/job-routes.ts'
import { type ConsoleFiles, pageRoutes } from './console/page-routes.ts'
import { consoleRecordRoutes } from './console/record-routes.ts'
import { standingRoutes } from './console/standing-routes.ts'
import { type ConsoleTools, consoleToolRoutes } from './console/tool-routes.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { openApiDocument } from './docs/openapi.ts'
import { healthRoutes } from './health-routes.ts'
import { messagingRoutes } from './messaging-routes.ts'
import type { HttpMetrics } from './metrics.ts'
import { mountRoutes } from './mount-routes.ts'
import { notedApp } from './noted-app.ts'
import { resourceRoutes } from './resource-routes.ts'
import { type Guard, noSuchPath, type Route, router } from './route.ts'
import { PER_CLIENT } from './server.ts'
import { adminRoutes } from './sessions/admin-routes.ts'
import { fromOwnHost, onlyFrom } from './sessions/origins.ts'
import { markUnattended, requireAccount, sessionMiddleware } from './sessions/session.ts'
import { smsRoutingRoutes } from './sms-routing.ts'

export interface HttpOptions extends UseCases {
  readonly access: Access
  readonly tools: ConsoleTools
  /** The console's files; absent if there is no console. */
  readonly console?: ConsoleFiles
  readonly smsRouting: SmsRouting
  readonly accountKeeping: AccountKeeping
  readonly signIn: SignIn
  readonly serverKeys: ServerKeys
  readonly loginCounts: LoginCounts
  readonly notices: Notices
  readonly security: SecurityTrail
  readonly heartbeat: Heartbeat
  /** Aborts once the service is about to stop. */
  readonly leaving?: AbortSignal
  readonly log: Logger
  /** Without a trailing slash. */
  readonly baseUrl: string
  /**
   * True if `baseUrl` was set: it is then the only origin of the service. Otherwise the service goes by the host that
   * browsers use.
   */
  readonly isBaseUrlSet: boolean
  /** How many proxies stand in front, whose X-Forwarded-For is trusted. */
  readonly trustedProxies: number
  readonly metrics?: HttpMetrics
  /** Paths outside the API. */
  readonly mounts?: readonly Mount[]
}

export type RouteOptions = Omit<
  HttpOptions,
  'console' | 'isBaseUrlSet' | 'log' | 'notices' | 'trustedProxies' | 'mounts'
>

type Served = UseCases & Pick<HttpOptions, 'access' | 'tools' | 'smsRouting' | 'security' | 'baseUrl'>

/** The routes that carry out use cases. */
const useCaseRoutes = ({
  access,
  administration,
  browsing,
  tools,
  messaging,
  overview,
  smsRouting,
  security,
  baseUrl,
}: Served): readonly Route[] => [
  ...messagingRoutes({ administration, messaging, security, baseUrl }),
  ...resourceRoutes(administration, { baseUrl }),
  ...consoleRecordRoutes({ administration, browsing }),
  ...consoleToolRoutes(tools, { overview, messaging }),
  ...consoleJobRoutes(tools.jobs, access),
  ...smsRoutingRoutes({ smsRouting, messaging }),
]

/** Returns every route of the service, in the order in which they are tried. */
export function apiRoutes(options: RouteOptions): readonly Route[] {
  const { accountKeeping, heartbeat, signIn, serverKeys, loginCounts, access, security, baseUrl, metrics } = options
  const routes: Route[] = [
    ...adminRoutes({ signIn, serverKeys, loginCounts, security, onLogin: metrics?.login }),
    ...standingRoutes(access),
    ...accountRoutes(accountKeeping),
    ...useCaseRoutes(options),
    ...healthRoutes(heartbeat, options.leaving),
    ...docsRoutes(() => inTurns(openApiDocument(routes, baseUrl))),
  ]
  return routes
}

/** Builds the API as a Koa application. */
export function httpApp(options: HttpOptions): Koa {
  const { log, baseUrl, isBaseUrlSet, trustedProxies, signIn, metrics } = options
  const app = notedApp(log, metrics, trustedProxies)
  const session = sessionMiddleware(app, signIn, { secure: baseUrl.startsWith('https:') })
  const refuseForeign = isBaseUrlSet ? onlyFrom(baseUrl) : fromOwnHost(baseUrl)

  const allowed = allowing(options.access, ({ records, ...useCases }) =>
    useCaseRoutes({ ...options, ...useCases, tools: { ...options.tools, records } }),
  )

  const guard: Guard = (route, method, handler) => {
    if (route.session === 'none') return handler
    return ctx => {
      refuseForeign(ctx.req)
      if (route.isUnattended) markUnattended(ctx)
      return session(ctx, async () => {
        const asked = { ctx, route, method, handler }
        await (route.session === 'required' ? allowed(requireAccount(ctx), asked) : handler)(ctx)
      })
    }
  }
  app.use(trustedProxies > 0 ? perClient(PER_CLIENT) : noticingProxies(options))
  const pages = options.console ? pageRoutes(options.console) : []
  app.use(router([...apiRoutes(options), ...mountRoutes(options.mounts ?? []), ...pages], guard))
  app.use(() => {
    throw noSuchPath()
  })
  return app
}

/**
 * Reports once that requests come through a proxy missing from the settings: all clients behind it count as one
 * address.
 */
function noticingProxies({ log, notices }: HttpOptions): Middleware {
  let isNoticed = false
  return (ctx, next) => {
    if (!isNoticed && ctx.req.headers['x-forwarded-for'] !== undefined) {
      isNoticed = true
      const detail = `requests from ${ctx.ip} carry X-Forwarded-For, and trusted_proxies is 0`
      log.warn(
        { address: ctx.ip },
        'a proxy that is not trusted sends X-Forwarded-For; see the setting trusted_proxies',
      )
      notices
        .raise({ code: 'untrusted_proxy', subject: '', detail })
        .catch(error => log.error({ err: error }, 'a notice was not kept'))
    }
    return next()
  }
}
