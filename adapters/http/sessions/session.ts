import { hash, randomBytes } from 'node:crypto'
import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import createSession from 'koa-session'
import type { Actor } from '../../../core/audit.ts'
import { AppError } from '../../../core/errors.ts'
import type { Account, Credentials } from '../../../core/ports/accounts.ts'
import type { SignIn } from '../../../core/use-cases/accounts/sign-in.ts'
import { cookieName } from './cookies.ts'

const TOKEN = /^[A-Za-z0-9_-]{43}$/

const hashOf = (token: string): string => hash('sha256', token)

interface SessionState {
  /** Who is signed in, once the session is looked up. */
  account?: Account
  /** Who the next stored session is for: only a login may create one. */
  signingIn?: Credentials
  /** True if a page sent it that nobody may be looking at. */
  isUnattended?: boolean
}

const stateOf = (ctx: Context | undefined): SessionState => ctx?.state ?? {}

/** What koa-session passes to its store with a token; its types leave the context open. */
interface Request {
  readonly ctx?: Context
}

/** The session middleware: koa-session keeps the cookie, the sessions themselves are in the database. */
export function sessionMiddleware(app: Koa, signIn: SignIn, { secure }: { secure: boolean }): Middleware {
  const middleware = createSession(
    {
      key: cookieName('session', secure),
      maxAge: 'session',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      signed: false,
      overwrite: true,
      // Sessions change only at login and logout; looking for changes costs every request two hashes.
      autoCommit: false,
      genid: () => randomBytes(32).toString('base64url'),
      store: sessionStore(signIn),
    },
    app,
  )
  return (ctx, next) => {
    ctx.cookies.secure = secure
    return middleware(ctx, next)
  }
}

const sessionStore = (signIn: SignIn) => ({
  get: async (token: string, _maxAge: unknown, { ctx }: Request) => {
    if (!TOKEN.test(token)) return undefined
    const account = await signIn.resume(hashOf(token), { isUnattended: stateOf(ctx).isUnattended === true })
    if (!account) return undefined
    stateOf(ctx).account = account
    return { accountId: account.id }
  },
  /** Inserts only at login: a request that ends after a logout must not bring its session back. */
  set: async (token: string, _session: unknown, _maxAge: unknown, { ctx }: Request) => {
    const { signingIn } = stateOf(ctx)
    if (signingIn === undefined) return
    delete stateOf(ctx).signingIn
    await signIn.open(hashOf(token), signingIn, ctx?.ip ?? '')
  },
  destroy: async (token: string, { ctx }: Request) => {
    if (ctx && stateOf(ctx).account) await signIn.end(hashOf(token), actorOf(ctx))
  },
})

/** Gives the account of these credentials a new session, and ends the one that the request came with. */
export async function startSession(ctx: Context, credentials: Credentials): Promise<void> {
  stateOf(ctx).signingIn = credentials
  ctx.session.accountId = credentials.id
  await ctx.session.regenerate()
}

/** Keeps the request from restarting the session's idle time. */
export function markUnattended(ctx: Context): void {
  stateOf(ctx).isUnattended = true
}

export async function endSession(ctx: Context): Promise<void> {
  const { session } = ctx
  ctx.session = null
  await session.manuallyCommit()
}

export const signedInAccount = (ctx: Context): Account | undefined => stateOf(ctx).account

/** Throws `unauthenticated`. */
export function requireAccount(ctx: Context): Account {
  const account = signedInAccount(ctx)
  if (!account) throw new AppError('unauthenticated', 'Unauthorized.')
  return account
}

/** Returns who makes the request's changes, for the audit trail. */
export const actorOf = (ctx: Context): Actor => ({ name: requireAccount(ctx).email, origin: ctx.ip })
