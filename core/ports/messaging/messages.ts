import type { Actor } from '../../audit.ts'
import type { Timestamp } from '../../dates.ts'
import type { Message, Receipt } from '../../sms/message.ts'
import type { GatewayReply } from '../../sms/reply.ts'
import type { Submission } from '../../sms/submission.ts'
import type { Json } from '../records.ts'

export interface Messages {
  /**
   * Stores a new message, and notes in the audit trail that it is sent `by` somebody, or by the program itself.
   * `deadline` is when its sender must have settled it; `complete` fills in what depends on its id. Throws `invalid` on
   * the tenant.
   */
  create(
    message: Omit<Message, 'id'>,
    deadline: Timestamp,
    by?: Actor,
    complete?: (message: Message) => Message,
  ): Promise<Message>
  /** Changes a message whose send is under way, and returns it. */
  change(id: number, change: (message: Message) => Message): Promise<Message>
  /**
   * Changes a message by the gateway's answer, then by each receipt parked for the external ids it now has, and
   * returns its view.
   */
  settle(id: number, change: (message: Message) => Message, receive: Receive): Promise<Json>
  /**
   * Applies a receipt to the message of that gateway and reference, else of that external id, or parks it while a send
   * through that gateway is under way. Of several messages with one external id it is for the latest, or (all) for
   * those without a final status. Returns the outcome. `sender` tells those who send receipts from each
   * other, so that none can push out what others sent.
   */
  receive(
    gatewayId: number,
    receipt: Receipt,
    receive: Receive,
    sender: string,
    scope?: 'latest' | 'all',
  ): Promise<Received>
  /** What a gateway that was deleted had, of what decides on its receipts; null where it had none of it. */
  retired(gatewayId: number): Promise<RetiredGateway | null>
  /**
   * The gateways whose host, port, TLS or user was changed, and when, as long as they have accepted no message sent
   * after that.
   */
  retargeted(): Promise<readonly { readonly gatewayId: number; readonly changedAt: Timestamp }[]>
  /** Changes messages queued without a receipt whose deadline has passed, a thousand at most; returns how many. */
  expire(now: Timestamp, change: (message: Message) => Message): Promise<number>
  /** Forgets receipts parked before that moment; returns how many. */
  forgetParked(before: Timestamp): Promise<number>
}

export interface RetiredGateway {
  readonly callback_token: string | null
  /** JSON text. */
  readonly meta: string | null
}

/** `ignored`: no message waits for it. */
export type Received = 'matched' | 'parked' | 'ignored'

export type Receive = (message: Message, receipt: Receipt) => Message

export interface SmsGatewayClient {
  /** Posts the submission once, within so many seconds, else within the time-out. Never throws. */
  submit(submission: Submission, within?: number): Promise<GatewayReply>
}
