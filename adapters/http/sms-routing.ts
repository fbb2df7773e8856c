import { smsMessages } from '../../core/resources/sms-messages.ts'
import { smsRoutes } from '../../core/resources/sms-routes.ts'
import type { Messaging } from '../../core/use-cases/messaging/messaging.ts'
import type { SmsRouting } from '../../core/use-cases/messaging/sms-routing.ts'
import { onArea, onRecords } from './access.ts'
import { jsonBody } from './bodies/body.ts'
import { idOf, wording } from './resource-routes.ts'
import { respond } from './responses.ts'
import type { Route } from './route.ts'
import { actorOf } from './sessions/session.ts'

interface Dependencies {
  readonly smsRouting: SmsRouting
  readonly messaging: Messaging
}

/** Sends messages that name no gateway, and administers the routes for them. */
export const smsRoutingRoutes = ({ smsRouting, messaging }: Dependencies): readonly Route[] => [
  {
    path: '/api/sms-routes',
    session: 'required',
    needs: { GET: onArea('read', 'sms_routes'), PUT: onArea('change', 'sms_routes') },
    methods: {
      GET: async ctx => respond(ctx, 200, wording.listed(smsRoutes), JSON.stringify(await smsRouting.list())),
      PUT: async ctx => {
        const route = await smsRouting.set(await jsonBody(ctx), actorOf(ctx))
        respond(ctx, 200, wording.updated(smsRoutes), JSON.stringify(route))
      },
    },
  },
  {
    path: '/api/sms-routes/send',
    session: 'required',
    needs: { POST: onRecords('send', smsMessages) },
    methods: {
      POST: async ctx => {
        const json = await messaging.sendRouted(await jsonBody(ctx), actorOf(ctx))
        respond(ctx, 200, 'SMS request processed.', json)
      },
    },
  },
  {
    path: '/api/sms-routes/:id',
    session: 'required',
    needs: { DELETE: onArea('change', 'sms_routes') },
    methods: {
      DELETE: async ctx => {
        await smsRouting.remove(idOf(ctx, smsRoutes), actorOf(ctx))
        respond(ctx, 200, wording.deleted(smsRoutes))
      },
    },
  },
]
