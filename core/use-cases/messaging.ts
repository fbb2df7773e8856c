import type { Actor } from '../audit.ts'
import { addSeconds } from '../dates.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Messages, Receive, SmsGatewayClient } from '../ports/messages.ts'
import type { Json, Records } from '../ports/records.ts'
import type { Clock, Ids } from '../ports/system.ts'
import { mergeErrors } from '../resources/field-errors.ts'
import { asBody, parseMembers } from '../resources/input.ts'
import { type Row, resource, type Values } from '../resources/resource.ts'
import { smsGateways } from '../resources/sms-gateways.ts'
import { sendFields } from '../resources/sms-messages.ts'
import { type GatewayOptions, gatewayOptions } from '../sms/gateway-options.ts'
import { giveUp, type Message, receive, settle } from '../sms/message.ts'
import { type ReceiptPayload, readReceipt, type Unreadable } from '../sms/receipt.ts'
import { redactor } from '../sms/redact.ts'
import { type Gateway, receiptUrl, submission } from '../sms/submission.ts'

type SendRequest = Values<typeof sendFields>

/** Whether a receipt carries that token at that place. */
export type IsTokenValid = (place: NonNullable<GatewayOptions['tokenIn']>, token: string) => boolean

/** What a receipt led to; `ack` is the text that its gateway wants to hear, if it wants one. */
export type ReceiptOutcome =
  | { readonly result: 'refused' }
  | { readonly result: 'unreadable'; readonly reason: Unreadable }
  | { readonly result: 'received'; readonly ack: string | null }

export interface IncomingReceipt {
  /** Tells those who send receipts from each other: the network that it comes from. */
  readonly sender: string
  readonly isTokenValid: IsTokenValid
  /** Reads the payload, or says why it cannot be read. */
  readonly read: () => Promise<ReceiptPayload | Unreadable>
}

export interface Messaging {
  /**
   * Sends one message through a gateway and returns its record, submitted or failed. The audit trail notes it as sent
   * `by` somebody, or by the program itself. Throws `not_found`, `invalid`, and what keeps the storage from writing,
   * with a message that says whether the gateway has the message already.
   */
  send(gatewayId: number, body: unknown, by?: Actor): Promise<Json>
  /**
   * Takes a delivery receipt. `isTokenValid` is asked only if the gateway wants a token. The payload is read only if
   * the token is right. Throws what `read` throws.
   */
  receipt(gatewayId: number | null, incoming: IncomingReceipt): Promise<ReceiptOutcome>
  /** Returns whether there is such a gateway, for a request to its receipt address by a method that carries none. */
  misdirected(gatewayId: number | null): Promise<boolean>
  /** Gives up on sends whose process died, and forgets receipts that waited for too long. */
  sweep(): Promise<{ failed: number; forgotten: number }>
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
  readonly clock: Clock
  readonly ids: Ids
  readonly settings: MessagingSettings
}

/** Seconds past the gateway's time-out after which a queued message's sender is taken for dead. */
const GRACE = 30

const sendRequest = resource({ name: 'sms_messages', label: 'SMS message', fields: sendFields })

export function messaging({ records, messages, client, clock, ids, settings }: Dependencies): Messaging {
  const findGateway = async (id: number): Promise<Gateway | null> =>
    (await records.find(smsGateways, id)) as Gateway | null

  /** The message of a request, to be sent at this moment. */
  const queued = (request: SendRequest, gateway: Gateway, options: GatewayOptions): Omit<Message, 'id'> => ({
    ...request,
    sms_gateway_id: gateway.id,
    external_message_id: ids.uuid(),
    delivery_status: 'queued',
    direction: 'outbound',
    callback_url: request.callback_url ?? receiptUrl(settings.baseUrl, gateway, options),
    remote_response: '{}',
    error_message: null,
    requested_at: clock.now(),
    submitted_at: null,
    delivered_at: null,
  })

  /** Of a gateway that is gone nothing is known any more; its messages are there. */
  const receiver =
    (gateway: Gateway | null, options: GatewayOptions): Receive =>
    (message, receipt) =>
      receive(message, receipt, options, gateway ? redactor(gateway) : payload => payload, clock.now())

  return {
    send: async (gatewayId, body, by) => {
      const gateway = await findGateway(gatewayId)
      if (!gateway) throw notFound(smsGateways.label)
      const options = gatewayOptions(gateway.meta)
      const request = queued(await acceptSend(records, body), gateway, options)
      const deadline = addSeconds(request.requested_at, Math.ceil(settings.gatewayTimeout) + GRACE)
      const message = await messages.create(request, deadline, by)
      const reply = await client.submit(submission(message, gateway, options))
      const change = (sent: Message): Message => settle(sent, reply, redactor(gateway), clock.now())
      return messages.settle(message.id, change, receiver(gateway, options)).catch(handedOver)
    },

    receipt: async (gatewayId, { sender, isTokenValid, read }) => {
      if (gatewayId === null) return { result: 'received', ack: null }
      const gateway = await findGateway(gatewayId)
      // The messages of a gateway outlive it, and so does what protects them.
      const rule = gateway ?? (await messages.retired(gatewayId))
      const options = gatewayOptions(rule?.meta ?? null)
      if (rule?.callback_token && options.tokenIn && !isTokenValid(options.tokenIn, rule.callback_token))
        return { result: 'refused' }
      const payload = await read()
      const receipt = typeof payload === 'string' ? null : readReceipt(payload, options.tokenIn)
      if (receipt === null && gateway)
        return { result: 'unreadable', reason: typeof payload === 'string' ? payload : 'no_message_id' }
      const received = receipt && (await messages.receive(gatewayId, receipt, receiver(gateway, options), sender))
      return { result: 'received', ack: received === 'matched' ? options.dlrAck : null }
    },

    misdirected: async gatewayId => gatewayId !== null && (await findGateway(gatewayId)) !== null,

    sweep: async () => {
      const now = clock.now()
      return {
        failed: await messages.expire(now, giveUp),
        forgotten: await messages.forgetParked(addSeconds(now, -settings.parkedFor)),
      }
    },
  }
}

/** Who is told to try again later would send the message twice. */
function handedOver(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  throw new AppError(
    error.code,
    `The message was handed to the gateway, but what came of it could not be stored; do not send it again. ${error.message}`,
  )
}

async function acceptSend(records: Records, body: unknown): Promise<SendRequest> {
  const { values, errors } = parseMembers(sendFields, asBody(body), 'create')
  const problems = mergeErrors(sendRequest, errors, await records.violations(sendRequest, values))
  if (problems.length > 0) throw invalid(problems)
  return values as Row as SendRequest
}
