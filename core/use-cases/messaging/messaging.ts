import type { Actor } from '../../audit.ts'
import { addSeconds } from '../../dates.ts'
import { AppError, notFound } from '../../errors.ts'
import type { Digests } from '../../ports/digests.ts'
import type { Receive } from '../../ports/messaging/messages.ts'
import type { PrefixRoutes } from '../../ports/prefix-routes.ts'
import type { Json } from '../../ports/records.ts'
import { routeFor } from '../../prefix-routes.ts'
import { smsGateways } from '../../resources/sms-gateways.ts'
import { smsMessages, wholeMessages } from '../../resources/sms-messages.ts'
import { type GatewayProtocol, protocolOf, receiptUrlFor, receiving } from '../../sms/gateway-protocol.ts'
import type { Message } from '../../sms/message.ts'
import { giveUp } from '../../sms/message-states.ts'
import type { ProviderRequest } from '../../sms/profiles/request.ts'
import { fill } from '../../sms/profiles/template.ts'
import { MARK, maskNamed, redactor } from '../../sms/redact-credentials.ts'
import type { Gateway } from '../../sms/submission.ts'
import { type IncomingReceipt, type ReceiptOutcome, receiveByProfile, receiveDocumented } from './receiving.ts'
import { acceptSend, courier, type Sending, type SendRequest } from './sending.ts'

export interface Messaging {
  /**
   * Sends one message through a gateway and returns its record, submitted or failed. The audit trail notes who sent
   * it: `by`, or the program itself. Throws `not_found`, `invalid`, and errors of the storage, with a message that
   * says whether the gateway already has the message.
   */
  send(gatewayId: number, body: unknown, by?: Actor): Promise<Json>
  /**
   * Takes a delivery receipt. Calls `isTokenValid` only if the gateway requires a token, and reads the payload only if
   * the token is right or the payload may prove it. Throws what `read` and `bytes` throw.
   */
  receipt(gatewayId: number | null, incoming: IncomingReceipt): Promise<ReceiptOutcome>
  /**
   * Sends through the gateways of the route for tenant and destination: if one certainly refuses, the next is tried
   * within the time-out. Throws `not_found` if no route fits.
   */
  sendRouted(body: unknown, by?: Actor): Promise<Json>
  /**
   * Sends a failed message again, as a new one that refers to it; with `force` also if its outcome is unknown. Throws
   * `not_found`, `conflict`, and what `send` throws.
   */
  resend(id: number, options: Resend): Promise<Json>
  /**
   * Returns how a message would be handed to its gateway (null: the first of its route), without sending it; masks the
   * gateway's secrets. Throws `not_found` and `invalid`.
   */
  preview(gatewayId: number | null, body: unknown): Promise<Preview>
  /** Returns what to enter on the provider's side, a line each; empty without a profile. Throws `not_found`. */
  setup(gatewayId: number): Promise<readonly string[]>
  /** Returns whether the gateway exists, for a request to its receipt address by a method that carries no receipts. */
  misdirected(gatewayId: number | null): Promise<boolean>
  /** Returns whether the gateway's profile sends receipts by GET. */
  takesGet(gatewayId: number | null): Promise<boolean>
  /** Gives up on sends whose process died, and deletes receipts that waited too long. */
  sweep(): Promise<{ failed: number; forgotten: number }>
}

export interface Resend {
  /** Another gateway to use. */
  readonly gatewayId?: number
  readonly isForced: boolean
  readonly by?: Actor
}

export interface Preview {
  readonly request: ProviderRequest
  readonly hasProfile: boolean
}

export interface MessagingSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** The time-out of a gateway call, in seconds. */
  readonly gatewayTimeout: number
  /** Seconds that a receipt waits for its message. */
  readonly parkedFor: number
}

interface Dependencies extends Sending {
  readonly routes: PrefixRoutes
  readonly digests: Digests
  readonly settings: MessagingSettings
}

export function messaging(dependencies: Dependencies): Messaging {
  const { records, messages, profiles, routes, clock, settings } = dependencies
  const { legs, drafted, send } = courier(dependencies)
  const findGateway = async (id: number): Promise<Gateway | null> =>
    (await records.find(smsGateways, id)) as Gateway | null

  const existing = async (id: number): Promise<Gateway> => {
    const gateway = await findGateway(id)
    if (!gateway) throw notFound(smsGateways.label)
    return gateway
  }

  /** Returns the existing gateways of the message's route. Throws `not_found`. */
  const routedThrough = async ({ tenant_id, to_number }: SendRequest): Promise<readonly Gateway[]> => {
    const route = routeFor(await routes.all(), tenant_id, to_number)
    const found = await Promise.all((route?.via ?? []).map(findGateway))
    const gateways = found.flatMap(gateway => gateway ?? [])
    if (gateways.length > 0) return gateways
    throw new AppError('not_found', `No route leads to ${to_number}.`, { hint: 'trunkline sms route list' })
  }

  const receiver = (protocol: GatewayProtocol): Receive => receiving(protocol, maskNamed, clock.now)

  return {
    send: async (gatewayId, body, by) => {
      const gateway = await existing(gatewayId)
      const request = await acceptSend(dependencies, body)
      return send(legs([gateway], request), request, { by })
    },

    sendRouted: async (body, by) => {
      const request = await acceptSend(dependencies, body)
      return send(legs(await routedThrough(request), request), request, { by })
    },

    resend: async (id, { gatewayId, isForced, by }) => {
      const message = (await records.find(wholeMessages, id)) as Message | null
      if (!message) throw notFound(smsMessages.label)
      assertMayGoAgain(message, isForced)
      const gateway = await existing(gatewayId ?? message.sms_gateway_id)
      const { to_number, from_sender, message: text, tenant_id } = message
      const request = await acceptSend(dependencies, { to_number, from_sender, message: text, tenant_id })
      return send(legs([gateway], request), request, { by, resendOf: id })
    },

    preview: async (gatewayId, body) => {
      const request = await acceptSend(dependencies, body)
      const [leg] = legs(gatewayId === null ? await routedThrough(request) : [await existing(gatewayId)], request)
      const { caFile: _, ...sent } = drafted(request, leg)
      return { request: masked(sent, leg.gateway), hasProfile: leg.protocol.profile !== null }
    },

    setup: async gatewayId => {
      const gateway = await existing(gatewayId)
      const protocol = protocolOf(gateway.meta, profiles)
      const receiptUrl = receiptUrlFor(settings.baseUrl, gateway, protocol, null)
      return (protocol.profile?.setup ?? []).map(line => fill(line, { receiptUrl }) ?? line)
    },

    receipt: async (gatewayId, incoming) => {
      if (gatewayId === null) return { result: 'received', ack: null }
      const gateway = await findGateway(gatewayId)
      // A gateway's messages outlive it, and so does their protection.
      const rule = gateway ?? (await messages.retired(gatewayId))
      const protocol = protocolOf(rule?.meta ?? null, profiles)
      // Neither the sender nor the contents can be determined.
      if (protocol.problem !== null) return { result: 'refused' }
      const arrival = { gatewayId, isKnown: gateway !== null, rule, protocol, receive: receiver(protocol) }
      return protocol.profile
        ? receiveByProfile(dependencies, arrival, protocol.profile, incoming)
        : receiveDocumented(dependencies, arrival, incoming)
    },

    misdirected: async gatewayId => gatewayId !== null && (await findGateway(gatewayId)) !== null,

    takesGet: async gatewayId => {
      const rule = gatewayId === null ? null : ((await findGateway(gatewayId)) ?? (await messages.retired(gatewayId)))
      const { profile } = protocolOf(rule?.meta ?? null, profiles)
      return profile?.receipt.methods.includes('GET') ?? false
    },

    sweep: async () => {
      const now = clock.now()
      return {
        failed: await messages.expire(now, giveUp),
        forgotten: await messages.forgetParked(addSeconds(now, -settings.parkedFor)),
      }
    },
  }
}

/** Throws `conflict` unless the message failed, or if the outcome is unknown and there is no `force`. */
function assertMayGoAgain({ status_class, delivery_status }: Message, isForced: boolean): void {
  if (status_class === 'failed' || (status_class === 'unknown' && isForced)) return
  throw new AppError(
    'conflict',
    status_class === 'unknown'
      ? 'The outcome of the message is unknown: it may have arrived, and would then arrive twice.'
      : `The message did not fail: it is ${delivery_status}.`,
  )
}

/** Returns the request without the gateway's secrets. */
function masked({ url, body, headers, basic, method }: ProviderRequest, gateway: Gateway): ProviderRequest {
  const { username, password, callback_token } = gateway
  const redacts = [password, ...(callback_token ? [callback_token] : [])].map(secret =>
    redactor({ username, password: secret }),
  )
  const clean = (text: string): string => redacts.reduce((left, redact) => String(redact(left)), text)
  return {
    method,
    url: clean(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)])),
    body: body === null ? null : clean(body),
    basic: basic && { username: basic.username, password: MARK },
  }
}
