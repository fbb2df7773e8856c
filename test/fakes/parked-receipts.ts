import type { Timestamp } from '../../core/dates.ts'
import type { Clock } from '../../core/ports/system.ts'
import type { Receipt } from '../../core/sms/message.ts'
import { PARKED, parkedPayload } from '../../core/sms/parked.ts'
import { type Journal, Table } from './tables.ts'

interface Parked {
  readonly place: number
  readonly receivedAt: Timestamp
  readonly receipt: Receipt & { readonly externalId: string }
}

/** The receipts waiting for one gateway's sends, by sender, oldest first. */
type Waiting = ReadonlyMap<string, readonly Parked[]>

/** The parked receipts, see `PARKED`. */
export function parkedReceipts(journal: Journal, clock: Clock) {
  const gateways = new Table<Waiting>(journal)
  let places = 0
  const of = (gatewayId: number): Waiting => gateways.get(gatewayId) ?? new Map()
  const withRoom = (waiting: Waiting, sender: string): Waiting =>
    new Map(waiting).set(sender, (waiting.get(sender) ?? []).slice(PARKED.dropped))
  /** Keeps what should stay, and returns the rest. */
  const keep = (gatewayId: number, stays: (parked: Parked) => boolean): Parked[] => {
    const waiting = [...of(gatewayId)]
    gateways.set(gatewayId, new Map(waiting.map(([sender, parked]) => [sender, parked.filter(stays)])))
    return waiting.flatMap(([, parked]) => parked.filter(each => !stays(each)))
  }
  return {
    put: (gatewayId: number, receipt: Parked['receipt'], sender: string): void => {
      let waiting = of(gatewayId)
      if ((waiting.get(sender)?.length ?? 0) >= PARKED.perSender) waiting = withRoom(waiting, sender)
      const bySize = [...waiting].sort(([, a], [, b]) => b.length - a.length)
      const total = bySize.reduce((sum, [, parked]) => sum + parked.length, 0)
      if (total >= PARKED.perGateway) waiting = withRoom(waiting, bySize[0]?.[0] ?? sender)
      const kept = { ...receipt, payload: parkedPayload(receipt) }
      const parked = { place: ++places, receivedAt: clock.now(), receipt: kept }
      gateways.set(gatewayId, new Map(waiting).set(sender, [...(waiting.get(sender) ?? []), parked]))
    },
    take: (gatewayId: number, externalId: string): Receipt[] =>
      keep(gatewayId, ({ receipt }) => receipt.externalId !== externalId)
        .sort((a, b) => a.place - b.place)
        .map(({ receipt }) => receipt),
    forget: (before: Timestamp): number =>
      gateways
        .entries()
        .map(([id]) => keep(id, ({ receivedAt }) => receivedAt >= before).length)
        .reduce((sum, count) => sum + count, 0),
  }
}
