import type { Context } from 'koa'
import { invalid, notFound } from '../../../core/errors.ts'
import { type Account, ROLES, type Role } from '../../../core/ports/accounts.ts'
import { asBody, parseMembers, parseWhole } from '../../../core/resources/values/input.ts'
import {
  accountChangeFields,
  newAccountFields,
  passwordFields,
} from '../../../core/use-cases/accounts/account-fields.ts'
import type { AccountKeeping, ListedAccount, ListedSession } from '../../../core/use-cases/accounts/accounts.ts'
import { onArea } from '../access.ts'
import { jsonBody } from '../bodies/body.ts'
import { respond } from '../responses.ts'
import { idIn, type Route } from '../route.ts'
import { actorOf } from '../sessions/session.ts'

/** Accounts and their sessions. Even reading them requires the right to change them. */
export function accountRoutes(accounts: AccountKeeping): readonly Route[] {
  const route = (path: string, on: 'accounts' | 'sessions', methods: Route['methods']): Route => ({
    path: `/api/console/${path}`,
    session: 'required',
    needs: Object.fromEntries(Object.keys(methods).map(method => [method, onArea('change', on)])),
    methods,
  })
  return [
    route('accounts', 'accounts', { GET: list(accounts), POST: create(accounts) }),
    route('accounts/:id', 'accounts', { PATCH: change(accounts), DELETE: remove(accounts) }),
    route('accounts/:id/password', 'accounts', { POST: changePassword(accounts) }),
    route('accounts/:id/sessions', 'sessions', { DELETE: endSessions(accounts) }),
    route('sessions', 'sessions', { GET: sessions(accounts), DELETE: endSessions(accounts) }),
    route('sessions/:session', 'sessions', { DELETE: endSession(accounts) }),
  ]
}

const shown = ({ tenantId, ...account }: Account) => ({ ...account, tenant_id: tenantId })
const listed = ({ createdAt, ...account }: ListedAccount) => ({ ...shown(account), created_at: createdAt })
const sessionShown = ({ id, account, origin, createdAt, expiresAt }: ListedSession) => ({
  ...{ id, account_id: account.id, name: account.name, email: account.email, origin },
  ...{ created_at: createdAt, expires_at: expiresAt },
})

function idOf(ctx: Context): number {
  const id = idIn(ctx.params.id)
  if (id === null) throw notFound('Account')
  return id
}

const list = (accounts: AccountKeeping) => async (ctx: Context) =>
  respond(ctx, 200, 'Accounts loaded.', JSON.stringify((await accounts.list()).map(listed)))

const create = (accounts: AccountKeeping) => async (ctx: Context) => {
  const { email, name, role, tenant_id, password } = parseWhole(newAccountFields, await jsonBody(ctx))
  const made = await accounts.create(
    {
      ...{ email, tenantId: tenant_id, role: roleIn(role) },
      ...{ name: name ?? undefined, password: password || undefined },
    },
    actorOf(ctx),
  )
  respond(ctx, 201, 'Account created.', JSON.stringify({ ...shown(made.account), password: made.madeUp }))
}

const change = (accounts: AccountKeeping) => async (ctx: Context) => {
  const { values, errors } = parseMembers(accountChangeFields, asBody(await jsonBody(ctx)), 'merge')
  if (errors.length > 0) throw invalid(errors)
  const { name, role, tenant_id, disabled } = values
  await accounts.change(
    idOf(ctx),
    {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof role === 'string' ? { role: roleIn(role) } : {}),
      ...(typeof tenant_id === 'number' || tenant_id === null ? { tenantId: tenant_id } : {}),
      ...(typeof disabled === 'boolean' ? { disabled } : {}),
    },
    actorOf(ctx),
  )
  respond(ctx, 200, 'Account changed.')
}

const roleIn = (text: string | null): Role => ROLES.find(each => each === text) ?? 'admin'

const changePassword = (accounts: AccountKeeping) => async (ctx: Context) => {
  const { password } = parseWhole(passwordFields, await jsonBody(ctx))
  const account = (await accounts.list()).find(({ id }) => id === idOf(ctx))
  if (!account) throw notFound('Account')
  const { madeUp } = await accounts.changePassword(account, password || undefined, actorOf(ctx))
  respond(ctx, 200, 'Password changed; the sessions of the account have ended.', JSON.stringify({ password: madeUp }))
}

const remove = (accounts: AccountKeeping) => async (ctx: Context) => {
  await accounts.remove(idOf(ctx), actorOf(ctx))
  respond(ctx, 200, 'Account deleted.')
}

const sessions = (accounts: AccountKeeping) => async (ctx: Context) =>
  respond(ctx, 200, 'Sessions loaded.', JSON.stringify((await accounts.sessions()).map(sessionShown)))

const endSession = (accounts: AccountKeeping) => async (ctx: Context) => {
  await accounts.endSession(String(ctx.params.session), actorOf(ctx))
  respond(ctx, 200, 'Session ended.', JSON.stringify({ ended: 1 }))
}

/** Ends the sessions of the account in the path, or of all. */
const endSessions = (accounts: AccountKeeping) => async (ctx: Context) => {
  const ended = await accounts.endSessions(ctx.params.id === undefined ? null : idOf(ctx), actorOf(ctx))
  respond(ctx, 200, ended === 1 ? 'One session ended.' : `${ended} sessions ended.`, JSON.stringify({ ended }))
}
