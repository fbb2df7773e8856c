import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { cookieName } from './cookies.ts'

const nameFor = ({ cookies }: Context): string => cookieName('browser', cookies.secure)

const LIFE_SECONDS = 90 * 24 * 3600

/**
 * Recognises browsers in which an account has logged in before, by a signed cookie: other people's guesses cannot lock
 * them out. The cookie grants nothing by itself.
 */
export interface KnownBrowsers {
  /**
   * Returns what distinguishes this browser from others of the account; null if the account has never logged in from
   * it.
   */
  find(ctx: Context, email: string): Promise<string | null>
  /** Sets a browser's cookie; programs, which send no origin, get none. */
  remember(ctx: Context, email: string): Promise<void>
}

export function knownBrowsers(keyOf: () => Promise<string>, now: () => number = Date.now): KnownBrowsers {
  let loading: Promise<string> | undefined
  const key = (): Promise<string> => {
    loading ??= keyOf().catch(error => {
      loading = undefined
      throw error
    })
    return loading
  }
  const sign = async (email: string, expires: string, nonce: string): Promise<string> =>
    createHmac('sha256', await key())
      .update(`${email.toLowerCase()}\n${expires}\n${nonce}`)
      .digest('base64url')
  return {
    find: async (ctx, email) => {
      const [expires = '', nonce = '', signature = ''] = ctx.cookies.get(nameFor(ctx))?.split('.') ?? []
      if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 < now()) return null
      const wanted = Buffer.from(await sign(email, expires, nonce))
      const received = Buffer.from(signature)
      return received.length === wanted.length && timingSafeEqual(received, wanted) ? nonce : null
    },
    remember: async (ctx, email) => {
      if (ctx.get('origin') === '') return
      const expires = String(Math.floor(now() / 1000) + LIFE_SECONDS)
      const nonce = randomBytes(16).toString('base64url')
      const value = [expires, nonce, await sign(email, expires, nonce)].join('.')
      ctx.cookies.set(nameFor(ctx), value, {
        httpOnly: true,
        sameSite: 'lax',
        maxAge: LIFE_SECONDS * 1000,
        signed: false,
        overwrite: true,
      })
    },
  }
}
