import type { Timestamp } from '../../dates.ts'
import { isShallow, stringifyJson } from '../../json.ts'
import type { Digests } from '../../ports/digests.ts'
import type { Messages, Receive, RetiredGateway } from '../../ports/messaging/messages.ts'
import type { Clock } from '../../ports/system.ts'
import type { GatewayOptions } from '../../sms/gateway-options.ts'
import type { GatewayProtocol } from '../../sms/gateway-protocol.ts'
import type { Receipt } from '../../sms/message.ts'
import { isCrowded, type ProviderReceipt, readReceipts } from '../../sms/profiles/receipt.ts'
import type { Profile } from '../../sms/profiles/schema.ts'
import { glance, type Head, isFromProvider } from '../../sms/profiles/verify-sender.ts'
import { type ReceiptPayload, readReceipt, type Unreadable } from '../../sms/read-receipt.ts'

/** Whether a receipt carries that token at that place. */
export type IsTokenValid = (place: NonNullable<GatewayOptions['tokenIn']>, token: string) => boolean

/** The answer that a gateway expects to its receipt. */
export interface Acknowledgement {
  readonly body: string
  readonly type: string
}

/** The result of a receipt; `ack` is null for the usual answer. */
export type ReceiptOutcome =
  | { readonly result: 'refused' }
  | { readonly result: 'unreadable'; readonly reason: Unreadable }
  | { readonly result: 'received'; readonly ack: Acknowledgement | null }

export interface IncomingReceipt {
  /** What identifies the sender of a receipt: the network that it comes from. */
  readonly sender: string
  readonly isTokenValid: IsTokenValid
  /** Returns the payload, or why it cannot be read. */
  readonly read: () => Promise<ReceiptPayload | Unreadable>
  /** The request as received, and its body, for profiles. Only one of `read` and `bytes` is called, once. */
  readonly head: () => Head
  readonly bytes: () => Promise<Uint8Array | Unreadable>
}

/** A receipt on its way to the messages of one gateway. */
export interface Arrival {
  readonly gatewayId: number
  /** False for a deleted gateway, whose messages and rules are kept. */
  readonly isKnown: boolean
  readonly rule: RetiredGateway | null
  readonly protocol: GatewayProtocol
  readonly receive: Receive
}

export interface Receiving {
  readonly messages: Messages
  readonly digests: Digests
  readonly clock: Pick<Clock, 'now'>
}

const PLAIN = 'text/plain'

/** Processes a receipt as the API document says. */
export async function receiveDocumented(
  { messages }: Pick<Receiving, 'messages'>,
  { gatewayId, isKnown, rule, protocol: { options }, receive }: Arrival,
  { sender, isTokenValid, read }: IncomingReceipt,
): Promise<ReceiptOutcome> {
  if (rule?.callback_token && options.tokenIn && !isTokenValid(options.tokenIn, rule.callback_token))
    return { result: 'refused' }
  const payload = await read()
  const receipt = typeof payload === 'string' ? null : readReceipt(payload, options)
  if (receipt === null && isKnown)
    return { result: 'unreadable', reason: typeof payload === 'string' ? payload : 'no_message_id' }
  const scope = options.sendsReference ? 'all' : 'latest'
  const received = receipt && (await messages.receive(gatewayId, receipt, receive, sender, scope))
  const isAnswered = received === 'matched' && options.dlrAck !== null
  return { result: 'received', ack: isAnswered ? { body: options.dlrAck ?? '', type: PLAIN } : null }
}

/** Receipts of one request that are stored at once; other requests are served in between. */
const STRETCH = 100

/** Processes a provider's request by its profile, once the sender is authenticated. */
export async function receiveByProfile(
  { messages, digests, clock }: Receiving,
  { gatewayId, rule, receive }: Arrival,
  profile: Profile,
  { sender, head, bytes }: IncomingReceipt,
): Promise<ReceiptOutcome> {
  const token = rule?.callback_token ?? null
  const proof = token === null ? null : { token, digests, now: secondsOf(clock.now()) }
  const opening = head()
  const atFirst = proof === null ? 'proven' : glance(profile.sender, { ...proof, request: opening })
  if (atFirst === 'refused') return { result: 'refused' }
  const body = await bytes()
  if (typeof body === 'string') return { result: 'unreadable', reason: body }
  const request = { ...opening, body }
  if (isCrowded(request)) return { result: 'unreadable', reason: 'too_many_fields' }
  if (proof !== null && atFirst === 'open' && !isFromProvider(profile.sender, { ...proof, request }))
    return { result: 'refused' }
  const receipts = readReceipts(profile, request).map(asReceipt)
  if (receipts.length === 0) return { result: 'unreadable', reason: 'no_message_id' }
  for (let at = 0; at < receipts.length; at += STRETCH)
    await Promise.all(
      receipts.slice(at, at + STRETCH).map(receipt => messages.receive(gatewayId, receipt, receive, sender, 'all')),
    )
  const { ack } = profile.receipt
  return { result: 'received', ack: ack ? { body: ack.body, type: ack.type ?? PLAIN } : null }
}

const secondsOf = (moment: Timestamp): number => Date.parse(moment) / 1000

const asReceipt = ({ ids, reference, status, payload }: ProviderReceipt): Receipt => {
  const isKept = isShallow(payload)
  return {
    externalId: ids[0] ?? null,
    reference,
    status,
    payload: isKept ? payload : {},
    size: isKept ? stringifyJson(payload).length : 0,
  }
}
