import type { LimitUsage } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { type Manager, type ManagerPlace, onManager } from '../manager.ts'
import { valueIn } from '../manager-messages.ts'
import { ENDED } from '../render/ended.ts'

/** An outgoing call that has ended, as the dialplan has noted it. */
interface EndedCall {
  /** What follows the family: who has the limit, and the id of the channel. */
  readonly key: string
  readonly channel: string
  /** Seconds since 1970. */
  readonly endedAt: number
}

/** Calls that the dialplan counts although they have ended: their records may not be stored yet. */
export interface EndedCalls {
  /** Returns those that need not be noted once the dialplan counts all calls that are stored now. */
  settled(): Promise<EndedCall[]>
  /** Has the dialplan no longer count them. */
  forget(calls: readonly EndedCall[]): Promise<void>
}

/** The record of a call that has none after this time is not coming. */
const WITHOUT_RECORD_S = 60

export interface EndedParts {
  readonly place: ManagerPlace
  readonly usage: Pick<LimitUsage, 'stored'>
  readonly clock: Pick<Clock, 'now'>
}

/** Asks on connections of its own: another one may be waiting for a long reload. */
export const endedCalls = ({ place, usage, clock }: EndedParts): EndedCalls => ({
  settled: async () => {
    const noted = await onManager(place, notedCalls)
    if (noted.length === 0) return []
    const stored = await usage.stored('asterisk', [...new Set(noted.map(({ channel }) => channel))])
    const before = Date.parse(clock.now()) / 1000 - WITHOUT_RECORD_S
    return noted.filter(({ channel, endedAt }) => stored.has(channel) || endedAt < before)
  },
  forget: async calls => {
    if (calls.length === 0) return
    await onManager(place, async manager => {
      for (const { key } of calls) await manager.ask({ Action: 'DBDel', Family: ENDED, Key: key })
    })
  },
})

async function notedCalls(manager: Manager): Promise<EndedCall[]> {
  const family = `/${ENDED}/`
  const found = await manager.list({ Action: 'DBGetTree', Family: ENDED })
  return found.flatMap(event => {
    const key = valueIn(event, 'key')
    if (!key.startsWith(family)) return []
    const channel = key.slice(key.lastIndexOf('/') + 1)
    return [{ key: key.slice(family.length), channel, endedAt: Number(valueIn(event, 'val')) }]
  })
}
