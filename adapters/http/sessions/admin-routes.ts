import { AppError } from '../../../core/errors.ts'
import type { LoginCounts } from '../../../core/ports/accounts.ts'
import type { ServerKeys } from '../../../core/ports/server-keys.ts'
import type { SecurityTrail } from '../../../core/use-cases/accounts/security-trail.ts'
import { readCredentials, type SignIn } from '../../../core/use-cases/accounts/sign-in.ts'
import { jsonBody, LOGIN_BODY } from '../bodies/body.ts'
import { originAt } from '../clients/address.ts'
import type { HttpMetrics, LoginResult } from '../metrics.ts'
import { respond } from '../responses.ts'
import type { Handler, Route } from '../route.ts'
import { knownBrowsers } from './known-browser.ts'
import { loginThrottle } from './login-throttle.ts'
import { endSession, requireAccount, startSession } from './session.ts'

function resultOf(error: unknown): LoginResult {
  if (!(error instanceof AppError)) return 'failed'
  if (error.code === 'too_many_attempts') return 'throttled'
  return error.code === 'invalid_credentials' ? 'refused' : 'failed'
}

interface Dependencies {
  readonly signIn: SignIn
  readonly serverKeys: ServerKeys
  readonly loginCounts: LoginCounts
  readonly security: SecurityTrail
  readonly onLogin: HttpMetrics['login'] | undefined
}

/** Login, logout and who is logged in. */
export function adminRoutes(dependencies: Dependencies): readonly Route[] {
  return [
    { path: '/api/admin/login', session: 'optional', methods: { POST: login(dependencies) } },
    {
      path: '/api/admin/logout',
      session: 'optional',
      methods: {
        POST: async ctx => {
          await endSession(ctx)
          respond(ctx, 200, 'Logged out successfully.')
        },
      },
    },
    {
      path: '/api/admin/me',
      session: 'required',
      needs: { GET: 'account' },
      methods: {
        GET: ctx => {
          const { name, email } = requireAccount(ctx)
          respond(ctx, 200, 'Authenticated user loaded.', JSON.stringify({ name, email, logged_in: true }))
        },
      },
    },
  ]
}

function login({ signIn, serverKeys, loginCounts, security, onLogin = () => undefined }: Dependencies): Handler {
  const throttle = loginThrottle(loginCounts, ({ email, address }, who) =>
    security.lockedOut(email, originAt(address), who),
  )
  const browsers = knownBrowsers(() => serverKeys.find('known browsers'))
  return async ctx => {
    const { email, password } = readCredentials(await jsonBody(ctx, LOGIN_BODY))
    try {
      const attempt = { email, address: ctx.ip, browser: await browsers.find(ctx, email) }
      const credentials = await throttle.attempt(attempt, () => signIn.authenticate(email, password))
      await startSession(ctx, credentials)
      await browsers.remember(ctx, email)
      const { name, role } = credentials
      respond(ctx, 200, 'Login successful.', JSON.stringify({ name, email: credentials.email, role }))
      onLogin('accepted')
    } catch (error) {
      const result = resultOf(error)
      onLogin(result)
      if (result === 'refused') security.loginFailed(email, originAt(ctx.ip))
      throw error
    }
  }
}
