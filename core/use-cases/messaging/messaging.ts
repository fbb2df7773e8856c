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
import { giveUp, type Message } from '../../sms/message.ts'
import type { ProviderRequest } from '../../sms/profiles/request.ts'
import { fill } from '../../sms/profiles/template.ts'
import { maskNamed, redactor } from '../../sms/redact.ts'
import type { Gateway } from '../../sms/submission.ts'
import { receiptUrlFor, receiving, type Way, wayOf } from '../../sms/way.ts'
import { type IncomingReceipt, type ReceiptOutcome, receiveByProfile, receiveDocumented } from './receiving.ts'
import { acceptSend, courier, type Sending, type SendRequest } from './sending.ts'

export interface Messaging {
  /**
   * Sends one message through a gateway and returns its record, submitted or failed. The audit trail notes it as sent
   * `by` somebody, or by the program itself. Throws `not_found`, `invalid`, and what keeps the storage from writing,
   * with a message that says whether the gateway has the message already.
   */
  send(gatewayId: number, body: unknown, by?: Actor): Promise<Json>
  /**
   * Takes a delivery receipt. `isTokenValid` is asked only if the gateway wants a token. The payload is read only if
   * the token is right, or may be found to be so by the payload. Throws what `read` and `bytes` throw.
   */
  receipt(gatewayId: number | null, incoming: IncomingReceipt): Promise<ReceiptOutcome>
  /**
   * The same through the gateways of the route that fits tenant and destination: where the first certainly refuses, the
   * next is tried within the time-out. Throws `not_found` where no route fits.
   */
  sendRouted(body: unknown, by?: Actor): Promise<Json>
  /**
   * Sends a message that failed once more, as a new one that names it; by force also where its outcome is unknown.
   * Throws `not_found`, `conflict`, and what `send` throws.
   */
  resend(id: number, options: Resend): Promise<Json>
  /**
   * Tells how a message would be handed to its gateway (null: the first of its route), without sending it; the
   * gateway's secrets are masked. Throws `not_found` and `invalid`.
   */
  preview(gatewayId: number | null, body: unknown): Promise<Preview>
  /** What is to be entered on the provider's side, a line each; nothing without a profile. Throws `not_found`. */
  setup(gatewayId: number): Promise<readonly string[]>
  /** Returns whether there is such a gateway, for a request to its receipt address by a method that carries none. */
  misdirected(gatewayId: number | null): Promise<boolean>
  /** Does the gateway's profile send receipts by GET? */
  takesGet(gatewayId: number | null): Promise<boolean>
  /** Gives up on sends whose process died, and forgets receipts that waited for too long. */
  sweep(): Promise<{ failed: number; forgotten: number }>
}

export interface Resend {
  /** Through another gateway than before. */
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
  /** What a gateway call may take, in seconds. */
  readonly gatewayTimeout: number
  /** How long a receipt waits for its message, in seconds. */
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

  /** The gateways that a message takes where none is named, those that were deleted left out. Throws `not_found`. */
  const routedThrough = async ({ tenant_id, to_number }: SendRequest): Promise<readonly Gateway[]> => {
    const route = routeFor(await routes.all(), tenant_id, to_number)
    const found = await Promise.all((route?.via ?? []).map(findGateway))
    const gateways = found.flatMap(gateway => gateway ?? [])
    if (gateways.length > 0) return gateways
    throw new AppError('not_found', `No route leads to ${to_number}.`, { hint: 'trunkline sms route list' })
  }

  const receiver = (way: Way): Receive => receiving(way, maskNamed, clock.now)

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
      return { request: masked(sent, leg.gateway), hasProfile: leg.way.profile !== null }
    },

    setup: async gatewayId => {
      const gateway = await existing(gatewayId)
      const way = wayOf(gateway.meta, profiles)
      const receiptUrl = receiptUrlFor(settings.baseUrl, gateway, way, null)
      return (way.profile?.setup ?? []).map(line => fill(line, { receiptUrl }) ?? line)
    },

    receipt: async (gatewayId, incoming) => {
      if (gatewayId === null) return { result: 'received', ack: null }
      const gateway = await findGateway(gatewayId)
      // The messages of a gateway outlive it, and so does what protects them.
      const rule = gateway ?? (await messages.retired(gatewayId))
      const way = wayOf(rule?.meta ?? null, profiles)
      // Nobody can tell who sent it, nor what it says.
      if (way.problem !== null) return { result: 'refused' }
      const arrival = { gatewayId, isKnown: gateway !== null, rule, way, receive: receiver(way) }
      return way.profile
        ? receiveByProfile(dependencies, arrival, way.profile, incoming)
        : receiveDocumented(dependencies, arrival, incoming)
    },

    misdirected: async gatewayId => gatewayId !== null && (await findGateway(gatewayId)) !== null,

    takesGet: async gatewayId => {
      const rule = gatewayId === null ? null : ((await findGateway(gatewayId)) ?? (await messages.retired(gatewayId)))
      const { profile } = wayOf(rule?.meta ?? null, profiles)
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

/** Throws `conflict` unless the message failed; where its outcome is unknown, it may only go again by force. */
function assertMayGoAgain({ status_class, delivery_status }: Message, isForced: boolean): void {
  if (status_class === 'failed' || (status_class === 'unknown' && isForced)) return
  throw new AppError(
    'conflict',
    status_class === 'unknown'
      ? 'The outcome of the message is unknown: it may have arrived, and would then arrive twice.'
      : `The message did not fail: it is ${delivery_status}.`,
  )
}

/** The request without the gateway's secrets. */
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
    basic: basic && { username: basic.username, password: '[redacted]' },
  }
}
