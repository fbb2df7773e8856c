import { AppError } from '../../core/errors.ts'
import { readCredentials, type SignIn } from '../../core/use-cases/sign-in.ts'
import { jsonBody } from './body.ts'
import { loginThrottle } from './login-throttle.ts'
import { respond } from './responses.ts'
import type { Route } from './route.ts'
import { endSession, requireAccount, startSession } from './session.ts'

/** Login, logout and who is logged in. */
export function adminRoutes(signIn: SignIn): readonly Route[] {
  const throttle = loginThrottle()
  return [
    {
      path: '/api/admin/login',
      session: 'optional',
      methods: {
        POST: async ctx => {
          const { email, password } = readCredentials(await jsonBody(ctx))
          await throttle.attempt(email, ctx.ip)
          try {
            const account = await signIn.authenticate(email, password)
            await throttle.forgive(email, ctx.ip, 'right')
            await startSession(ctx, account)
            const { name, role } = account
            respond(ctx, 200, 'Login successful.', JSON.stringify({ name, email: account.email, role }))
          } catch (error) {
            const wasMade = error instanceof AppError && error.code === 'invalid_credentials'
            if (!wasMade) await throttle.forgive(email, ctx.ip, 'not made')
            throw error
          }
        },
      },
    },
    {
      path: '/api/admin/logout',
      session: 'optional',
      methods: {
        POST: ctx => {
          endSession(ctx)
          respond(ctx, 200, 'Logged out successfully.')
        },
      },
    },
    {
      path: '/api/admin/me',
      session: 'required',
      methods: {
        GET: ctx => {
          const { name, email } = requireAccount(ctx)
          respond(ctx, 200, 'Authenticated user loaded.', JSON.stringify({ name, email, logged_in: true }))
        },
      },
    },
  ]
}
