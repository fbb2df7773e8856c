import type { Actor } from '../../audit.ts'
import type { Timestamp } from '../../dates.ts'
import type { Message, Receipt } from '../../sms/message.ts'
import type { GatewayReply } from '../../sms/reply.ts'
import type { Submission } from '../../sms/submission.ts'
import type { Json } from '../records.ts'

export interface Messages {
  /**
   * Stores a new message, and notes in the audit trail who sent it: `by`, or the program itself. `deadline` is when
   * its sender must have settled it; `complete` fills in what depends on the id. Throws `invalid` on the tenant.
   */
  create(
    message: Omit<Message, 'id'>,
    deadline: Timestamp,
    by?: Actor,
    complete?: (message: Message) => Message,
  ): Promise<Message>
  /** Changes a message that is being sent, and returns it. */
  change(id: number, change: (message: Message) => Message): Promise<Message>
  /**
   * Changes a message by the gateway's answer, then by each receipt parked for the external ids it now has. Returns
   * its view.
   */
  settle(id: number, change: (message: Message) => Message, receive: Receive): Promise<Json>
  /**
   * Applies a receipt to the message of that gateway and reference, or else of that external id; parks it while a send
   * through that gateway is under way. If several messages share an external id, it goes to the latest, or with `all`
   * to those without a final status. Returns the outcome. `sender` identifies the source, so that none can push out
   * another's receipts.
   */
  receive(
    gatewayId: number,
    receipt: Receipt,
    receive: Receive,
    sender: string,
    scope?: 'latest' | 'all',
  ): Promise<Received>
  /** Returns the settings of a deleted gateway that decide on its receipts; null if it had none. */
  retired(gatewayId: number): Promise<RetiredGateway | null>
  /**
   * Returns the gateways whose host, port, TLS or user changed, and when, until they have accepted a message sent
   * after that.
   */
  retargeted(): Promise<readonly { readonly gatewayId: number; readonly changedAt: Timestamp }[]>
  /** Changes queued messages without a receipt whose deadline has passed, at most a thousand; returns how many. */
  expire(now: Timestamp, change: (message: Message) => Message): Promise<number>
  /** Deletes receipts parked before that moment; returns how many. */
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
  /** Posts the submission once, within that many seconds or else the default time-out. Never throws. */
  submit(submission: Submission, within?: number): Promise<GatewayReply>
}
