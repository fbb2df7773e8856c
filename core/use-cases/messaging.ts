import type { Actor } from '../audit.ts'
import { addSeconds } from '../dates.ts'
import { AppError, notFound } from '../errors.ts'
import type { Digests } from '../ports/digests.ts'
import type { Messages, Receive, SmsGatewayClient } from '../ports/messages.ts'
import type { Profiles } from '../ports/profiles.ts'
import type { Json, Records } from '../ports/records.ts'
import type { Clock, Ids } from '../ports/system.ts'
import { smsGateways } from '../resources/sms-gateways.ts'
import { giveUp, type Message } from '../sms/message.ts'
import type { ProviderRequest } from '../sms/profiles/request.ts'
import { fill } from '../sms/profiles/template.ts'
import { maskNamed, redactor } from '../sms/redact.ts'
import type { Gateway } from '../sms/submission.ts'
import { type TextForm, textForm } from '../sms/text.ts'
import { receiptUrlFor, receiving, referenceOf, settling, submissionFor, type Way, wayOf } from '../sms/way.ts'
import { type IncomingReceipt, type ReceiptOutcome, receiveByProfile, receiveDocumented } from './receiving.ts'
import { acceptSend, assertCarried, type SendRequest } from './sending.ts'

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
   * Tells how a message would be handed to its gateway, without sending it; the gateway's secrets are masked. Throws
   * `not_found` and `invalid`.
   */
  preview(gatewayId: number, body: unknown): Promise<Preview>
  /** What is to be entered on the provider's side, a line each; nothing without a profile. Throws `not_found`. */
  setup(gatewayId: number): Promise<readonly string[]>
  /** Returns whether there is such a gateway, for a request to its receipt address by a method that carries none. */
  misdirected(gatewayId: number | null): Promise<boolean>
  /** Does the gateway's profile send receipts by GET? */
  takesGet(gatewayId: number | null): Promise<boolean>
  /** Gives up on sends whose process died, and forgets receipts that waited for too long. */
  sweep(): Promise<{ failed: number; forgotten: number }>
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

interface Dependencies {
  readonly records: Records
  readonly messages: Messages
  readonly client: SmsGatewayClient
  readonly profiles: Profiles
  readonly digests: Digests
  readonly clock: Clock
  readonly ids: Ids
  readonly settings: MessagingSettings
}

/** Seconds past the gateway's time-out after which a queued message's sender is taken for dead. */
const GRACE = 30

export function messaging(dependencies: Dependencies): Messaging {
  const { records, messages, client, profiles, clock, ids, settings } = dependencies
  const findGateway = async (id: number): Promise<Gateway | null> =>
    (await records.find(smsGateways, id)) as Gateway | null

  const existing = async (id: number): Promise<Gateway> => {
    const gateway = await findGateway(id)
    if (!gateway) throw notFound(smsGateways.label)
    return gateway
  }

  /** A request to send, read and found fit for the gateway's way. */
  const accepted = async (gateway: Gateway, body: unknown) => {
    const way = wayOf(gateway.meta, profiles)
    const request = await acceptSend(records, body)
    const form = textForm(request.message)
    assertCarried(way, request, form)
    return { way, request, form, draft: queued(request, gateway, way, form) }
  }

  /** The message of a request, to be sent at this moment. */
  const queued = (request: SendRequest, gateway: Gateway, way: Way, { parts }: TextForm): Omit<Message, 'id'> => ({
    ...request,
    sms_gateway_id: gateway.id,
    external_message_id: ids.uuid(),
    delivery_status: 'queued',
    status_class: 'pending',
    direction: 'outbound',
    callback_url: request.callback_url ?? receiptUrlFor(settings.baseUrl, gateway, way, null),
    remote_response: '{}',
    error_message: null,
    requested_at: clock.now(),
    submitted_at: null,
    delivered_at: null,
    reference: null,
    parts,
    part_classes: null,
    tries: null,
    resend_of: null,
  })

  /** What depends on the record's id: our reference, and the URL that carries it. */
  const named =
    (request: SendRequest, gateway: Gateway, way: Way) =>
    (message: Message): Message => {
      const reference = referenceOf(way, message.id, message.external_message_id)
      if (reference === null) return message
      const callback_url = request.callback_url ?? receiptUrlFor(settings.baseUrl, gateway, way, reference)
      return { ...message, reference, callback_url, ...(way.profile ? { external_message_id: reference } : {}) }
    }

  const receiver = (way: Way): Receive => receiving(way, maskNamed, clock.now)

  return {
    send: async (gatewayId, body, by) => {
      const gateway = await existing(gatewayId)
      const { way, request, form, draft } = await accepted(gateway, body)
      const deadline = addSeconds(draft.requested_at, Math.ceil(settings.gatewayTimeout) + GRACE)
      const message = await messages.create(draft, deadline, by, named(request, gateway, way))
      const reply =
        way.problem === null
          ? await client.submit(submissionFor(way, message, gateway, form))
          : ({ kind: 'failed', isWritten: false, exception: way.problem } as const)
      const change = (sent: Message): Message => settling(way, reply, redactor(gateway), clock.now())(sent)
      return messages.settle(message.id, change, receiver(way)).catch(handedOver)
    },

    preview: async (gatewayId, body) => {
      const gateway = await existing(gatewayId)
      const { way, request, form, draft } = await accepted(gateway, body)
      const message = named(request, gateway, way)({ ...draft, id: 0 })
      const { caFile: _, ...sent } = submissionFor(way, message, gateway, form)
      return { request: masked(sent, gateway), hasProfile: way.profile !== null }
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

/** A client that is told to try again later would send the message twice. */
function handedOver(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  throw new AppError(
    error.code,
    `The message was handed to the gateway, but the outcome could not be stored; do not send it again. ${error.message}`,
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
