/** What a delivery status says of a message. `unknown`: nothing that we know the word for. */
export type Delivery = 'delivered' | 'failed' | 'pending' | 'unknown'

/** The words of the contract, of SMPP, and the usual ones of providers, in lower case. */
const WORDS: Readonly<Record<Exclude<Delivery, 'unknown'>, readonly string[]>> = {
  delivered: ['delivered', 'delivrd', 'dlvrd', 'delivered_to_handset', 'read'],
  failed: [
    ...['failed', 'undeliv', 'undelivered', 'undeliverable', 'rejectd', 'rejected', 'expired', 'deleted', 'aborted'],
    ...['canceled', 'cancelled', 'delivery_failed', 'sending_failed'],
  ],
  pending: [
    ...['queued', 'submitted', 'accepted', 'acceptd', 'enroute', 'esme_rok', 'unknown', 'pending', 'buffered'],
    ...['scheduled', 'sending', 'sent', 'dispatched'],
  ],
}

const DELIVERY_OF: ReadonlyMap<string, Delivery> = new Map(
  (['delivered', 'failed', 'pending'] as const).flatMap(delivery =>
    WORDS[delivery].map((word): [string, Delivery] => [word, delivery]),
  ),
)

/** Reads a `delivery_status` in any case. */
export const deliveryOf = (status: string): Delivery => DELIVERY_OF.get(status.toLowerCase()) ?? 'unknown'

/** The statuses of messages that are still on their way. */
export const PENDING: readonly string[] = WORDS.pending
