import type { Actor } from '../../audit.ts'
import { addSeconds } from '../../dates.ts'
import { AppError, invalid } from '../../errors.ts'
import { isJsonObject, parseJson, stringifyJson } from '../../json.ts'
import type { Messages, SmsGatewayClient } from '../../ports/messaging/messages.ts'
import type { Profiles } from '../../ports/messaging/profiles.ts'
import type { Json, ServedRecords } from '../../ports/records.ts'
import type { Clock, Ids } from '../../ports/system.ts'
import { type Row, resource, type Values } from '../../resources/resource.ts'
import { sendFields } from '../../resources/sms-messages.ts'
import { mergeErrors } from '../../resources/values/field-errors.ts'
import { asBody, parseMembers } from '../../resources/values/input.ts'
import {
  type GatewayProtocol,
  protocolOf,
  receiptUrlFor,
  receiving,
  referenceOf,
  refusal,
  settling,
  submissionFor,
} from '../../sms/gateway-protocol.ts'
import type { Message } from '../../sms/message.ts'
import { maskNamed, redactor } from '../../sms/redact-credentials.ts'
import { type GatewayReply, isDefinite } from '../../sms/reply.ts'
import type { Gateway, Submission } from '../../sms/submission.ts'
import { type TextForm, textForm } from '../../sms/text.ts'

export type SendRequest = Values<typeof sendFields>

const sendRequest = resource({ name: 'sms_messages', label: 'SMS message', fields: sendFields })

/** Validates a request to send, for `tenantId` if it names no tenant. Throws `invalid`. */
export async function acceptSend(
  { records, tenantId }: Pick<Sending, 'records' | 'tenantId'>,
  body: unknown,
): Promise<SendRequest> {
  const { values, errors } = parseMembers(sendFields, asBody(body), 'create')
  if (tenantId !== undefined && values['tenant_id'] === null) values['tenant_id'] = tenantId
  const problems = mergeErrors(sendRequest, errors, await records.violations(sendRequest, values))
  if (problems.length > 0) throw invalid(problems)
  return values as Row as SendRequest
}

/** A request by way of one suitable gateway. */
export interface Leg {
  readonly gateway: Gateway
  readonly protocol: GatewayProtocol
  readonly form: TextForm
}

export interface Sending {
  readonly records: ServedRecords
  /** The tenant of every message, if the sender belongs to one. */
  readonly tenantId?: number
  readonly messages: Messages
  readonly client: SmsGatewayClient
  readonly profiles: Profiles
  readonly clock: Clock
  readonly ids: Ids
  readonly settings: { readonly baseUrl: string; readonly gatewayTimeout: number }
}

/** Seconds past the gateway's time-out after which the sender of a queued message counts as dead. */
const GRACE = 30
/** No other gateway is tried with fewer seconds left. */
const LEAST = 1

export interface SendOptions {
  readonly by?: Actor | undefined
  /** The message that this one resends. */
  readonly resendOf?: number
}

/** Writes the messages of requests, before they are sent. */
function drafting({ clock, ids, settings }: Pick<Sending, 'clock' | 'ids' | 'settings'>) {
  /** The message of a request, to be sent now. */
  const queued = (
    request: SendRequest,
    { gateway, protocol, form }: Leg,
    resendOf: number | null,
  ): Omit<Message, 'id'> => ({
    ...request,
    sms_gateway_id: gateway.id,
    external_message_id: ids.uuid(),
    delivery_status: 'queued',
    status_class: 'pending',
    direction: 'outbound',
    callback_url: request.callback_url ?? receiptUrlFor(settings.baseUrl, gateway, protocol, null),
    remote_response: '{}',
    error_message: null,
    requested_at: clock.now(),
    submitted_at: null,
    delivered_at: null,
    reference: null,
    parts: form.parts,
    part_classes: null,
    tries: null,
    resend_of: resendOf,
  })

  /** Fills in what depends on the record's id and its gateway: our reference, and the URL that carries it. */
  const named =
    (request: SendRequest, { gateway, protocol }: Leg) =>
    (message: Message): Message => {
      const reference = referenceOf(protocol, message.id, message.external_message_id)
      const callback_url = request.callback_url ?? receiptUrlFor(settings.baseUrl, gateway, protocol, reference)
      const own = protocol.profile && reference !== null ? { external_message_id: reference } : {}
      return { ...message, reference, callback_url, ...own }
    }
  return { queued, named }
}

/** Hands messages to their gateways. */
export function courier(sending: Sending) {
  const { messages, client, profiles, clock, settings } = sending
  const { queued, named } = drafting(sending)
  const legOf = (gateway: Gateway, form: TextForm): Leg => ({
    gateway,
    protocol: protocolOf(gateway.meta, profiles),
    form,
  })

  const submit = async ({ protocol, gateway, form }: Leg, message: Message, within?: number): Promise<GatewayReply> =>
    protocol.problem === null
      ? client.submit(submissionFor(protocol, message, gateway, form), within)
      : { kind: 'failed', isWritten: false, exception: protocol.problem }

  const settled =
    ({ protocol, gateway }: Leg, reply: GatewayReply) =>
    (message: Message): Message =>
      settling(protocol, reply, { redact: redactor(gateway), now: clock.now() })(message)

  return {
    /** Returns the gateways that carry the text unchanged. Throws `invalid` if none does. */
    legs: (gateways: readonly Gateway[], { message }: SendRequest): readonly [Leg, ...Leg[]] => {
      const form = textForm(message)
      const all = gateways.map(gateway => legOf(gateway, form))
      const [first, ...others] = all.filter(({ protocol }) => refusal(protocol, message, form) === null)
      if (first) return [first, ...others]
      const reason = all.map(({ protocol }) => refusal(protocol, message, form)).find(each => each !== null)
      throw invalid([{ rule: 'max', field: 'message', sentence: `The message ${reason ?? 'has no gateway'}.` }])
    },

    /** Returns how a message would be handed over. */
    drafted: (request: SendRequest, leg: Leg): Submission => {
      const message = named(request, leg)({ ...queued(request, leg, null), id: 0 })
      return submissionFor(leg.protocol, message, leg.gateway, leg.form)
    },

    /** Sends through the first gateway, and through the next if that certainly refused, while time is left. */
    send: async (
      [first, ...others]: readonly [Leg, ...Leg[]],
      request: SendRequest,
      { by, resendOf }: SendOptions = {},
    ): Promise<Json> => {
      const until = clock.monotonic() + settings.gatewayTimeout
      const draft = queued(request, first, resendOf ?? null)
      const deadline = addSeconds(draft.requested_at, Math.ceil(settings.gatewayTimeout) + GRACE)
      let message = await messages.create(draft, deadline, by, named(request, first))
      let leg = first
      let reply = await submit(leg, message)
      for (const next of others) {
        const outcome = settled(leg, reply)(message)
        const left = until - clock.monotonic()
        if (outcome.status_class !== 'failed' || !isDefinite(reply) || left < LEAST) break
        const moved = (stored: Message): Message => named(request, next)(tried(stored, outcome, next, clock.now()))
        message = await messages.change(message.id, moved)
        leg = next
        reply = await submit(leg, message, left)
      }
      const receive = receiving(leg.protocol, maskNamed, clock.now)
      return messages.settle(message.id, settled(leg, reply), receive).catch(handedOver)
    },
  }
}

/** Returns the message for the next gateway, with the outcome of the last one. */
function tried(message: Message, outcome: Message, { gateway, form }: Leg, at: string): Message {
  const before = message.tries === null ? [] : parseJson(message.tries)
  const failure = { gateway: message.sms_gateway_id, at, error: outcome.error_message }
  const tries = [...(Array.isArray(before) ? before.filter(isJsonObject) : []), failure]
  return { ...message, sms_gateway_id: gateway.id, parts: form.parts, tries: stringifyJson(tries) }
}

/** A client told to try again later would send the message twice. */
function handedOver(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  throw new AppError(
    error.code,
    `The message was handed to the gateway, but the outcome could not be stored; do not send it again. ${error.message}`,
  )
}
