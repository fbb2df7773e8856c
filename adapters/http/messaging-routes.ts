import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { AppError } from '../../core/errors.ts'
import { smsGateways } from '../../core/resources/sms-gateways.ts'
import { smsMessages } from '../../core/resources/sms-messages.ts'
import type { GatewayOptions } from '../../core/sms/gateway-options.ts'
import type { Head } from '../../core/sms/profiles/verify-sender.ts'
import type { Unreadable } from '../../core/sms/read-receipt.ts'
import type { SecurityTrail } from '../../core/use-cases/accounts/security-trail.ts'
import type { Messaging } from '../../core/use-cases/messaging/messaging.ts'
import type { Administration } from '../../core/use-cases/records/administer.ts'
import { onRecords } from './access.ts'
import { jsonBody } from './bodies/body.ts'
import { receiptBytes, receiptPayload } from './bodies/receipt-body.ts'
import { networkOf, originAt } from './clients/address.ts'
import { idOf, linkNext, listQuery } from './resource-routes.ts'
import { respond } from './responses.ts'
import { idIn, type Route } from './route.ts'
import { actorOf } from './sessions/session.ts'

function isSame(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)]
  // A token's length is no secret, unlike its content.
  return a.length === b.length && timingSafeEqual(a, b)
}

function carriesToken(ctx: Context, place: NonNullable<GatewayOptions['tokenIn']>, token: string): boolean {
  if (place === 'unreadable') return false
  const received = place.in === 'header' ? ctx.get(place.name) : ctx.query[place.name]
  return isSame(String(received ?? ''), token)
}

/** The request as its sender made it: at the address that the provider knows, not the one a proxy forwards. */
const headOf = (ctx: Context, baseUrl: string): Head => ({
  method: ctx.method,
  url: `${baseUrl}${ctx.path}${ctx.search}`,
  headers: Object.fromEntries(
    Object.entries(ctx.req.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]),
  ),
})

/** Notes in the request's log line why a receipt was useless: a code, without its content. */
function noteReceipt(ctx: Context, gateway: number | null, problem: Unreadable | 'token' | 'method'): void {
  ctx.state.trouble = { gateway, receipt: problem }
}

interface Dependencies {
  readonly administration: Administration
  readonly messaging: Messaging
  readonly security: SecurityTrail
  readonly baseUrl: string
}

/** The part of a route that takes delivery receipts. */
function receiptRoute({ messaging, security, baseUrl }: Omit<Dependencies, 'administration'>) {
  const receive = async (ctx: Context): Promise<void> => {
    const gateway = idIn(ctx.params.id)
    const outcome = await messaging.receipt(gateway, {
      sender: networkOf(ctx.ip),
      isTokenValid: (place, token) => carriesToken(ctx, place, token),
      read: () => receiptPayload(ctx),
      head: () => headOf(ctx, baseUrl),
      bytes: () => receiptBytes(ctx),
    })
    if (outcome.result === 'refused') {
      noteReceipt(ctx, gateway, 'token')
      if (gateway !== null) security.tokenRefused(gateway, originAt(ctx.ip))
      throw new AppError('forbidden', 'The callback token or the signature is missing or wrong.')
    }
    if (outcome.result === 'unreadable') noteReceipt(ctx, gateway, outcome.reason)
    if (outcome.result === 'unreadable' || outcome.ack === null) return respond(ctx, 200, 'DLR received')
    ctx.type = outcome.ack.type
    ctx.body = outcome.ack.body
  }
  const misdirected = async (ctx: Context): Promise<boolean> => {
    const gateway = idIn(ctx.params.id)
    if (ctx.method === 'GET' && (await messaging.takesGet(gateway))) {
      await receive(ctx)
      return true
    }
    if (await messaging.misdirected(gateway)) noteReceipt(ctx, gateway, 'method')
    return false
  }
  return { session: 'none', methods: { POST: receive }, onWrongMethod: misdirected } as const
}

/** Sending through a gateway, its messages, and the receipts that it calls back with. */
export function messagingRoutes(dependencies: Dependencies): readonly Route[] {
  const { administration, messaging, baseUrl } = dependencies
  const receipts = receiptRoute(dependencies)
  return [
    {
      path: '/api/sms-gateways/:id/messages',
      session: 'required',
      needs: { GET: onRecords('read', smsMessages) },
      methods: {
        GET: async ctx => {
          const id = idOf(ctx, smsGateways)
          await administration.assertExists(smsGateways, id)
          const { json, next } = await administration.list(smsMessages, listQuery(ctx), { sms_gateway_id: id })
          linkNext(ctx, baseUrl, next)
          respond(ctx, 200, 'SMS messages fetched successfully.', json)
        },
      },
    },
    {
      path: '/api/sms-gateways/:id/send',
      session: 'required',
      needs: { POST: onRecords('send', smsMessages) },
      methods: {
        POST: async ctx => {
          const json = await messaging.send(idOf(ctx, smsGateways), await jsonBody(ctx), actorOf(ctx))
          respond(ctx, 200, 'SMS request processed.', json)
        },
      },
    },
    { path: '/api/sms-gateways/:id/dlr', ...receipts },
    { path: '/webhooks/gateway/:id/dlr', ...receipts },
  ]
}
