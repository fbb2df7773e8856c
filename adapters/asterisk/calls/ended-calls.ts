import type { Changed, LimitUsage } from '../../../core/ports/switching.ts'
import { type Manager, type ManagerPlace, onManager } from '../manager.ts'
import { valueIn } from '../manager-messages.ts'
import { ENDED } from '../render/ended.ts'

/** An outgoing call that has ended, as the dialplan has noted it. */
interface EndedCall {
  /** What follows the family: who has the limit, and the id of the channel. */
  readonly key: string
  readonly tenantId: number
  readonly channel: string
}

/** Calls that the dialplan counts although they have ended: their records may not be stored yet. */
export interface EndedCalls {
  /** Returns those of these tenants that need not be noted once the dialplan counts all calls that are stored now. */
  settled(changed: Changed): Promise<EndedCall[]>
  /** Has the dialplan no longer count them. */
  forget(calls: readonly EndedCall[]): Promise<void>
}

/**
 * The record of a call that has none this long after the note was first seen is not coming. How old the note is says
 * nothing: the records of all the time that the daemon was stopped are still to be stored after its start.
 */
const WITHOUT_RECORD_MS = 60_000

export interface EndedParts {
  readonly place: ManagerPlace
  readonly usage: Pick<LimitUsage, 'stored'>
  /** Milliseconds, by a clock that never goes back. */
  readonly now: () => number
}

/** Asks on connections of its own: another one may be waiting for a long reload. */
export function endedCalls({ place, usage, now }: EndedParts): EndedCalls {
  /** When each note was first seen, by its key. */
  let seen = new Map<string, number>()
  return {
    settled: async changed => {
      const noted = await onManager(place, notedCalls)
      const time = now()
      seen = new Map(noted.map(({ key }) => [key, seen.get(key) ?? time]))
      const asked = noted.filter(({ tenantId }) => changed === 'all' || changed.has(tenantId))
      if (asked.length === 0) return []
      const stored = await usage.stored('asterisk', [...new Set(asked.map(({ channel }) => channel))])
      const isLate = (key: string): boolean => time - (seen.get(key) ?? time) > WITHOUT_RECORD_MS
      return asked.filter(({ key, channel }) => stored.has(channel) || isLate(key))
    },
    forget: async calls => {
      if (calls.length === 0) return
      await onManager(place, async manager => {
        for (const key of new Set(calls.map(call => call.key)))
          await manager.ask({ Action: 'DBDel', Family: ENDED, Key: key })
      })
    },
  }
}

async function notedCalls(manager: Manager): Promise<EndedCall[]> {
  const family = `/${ENDED}/`
  const found = await manager.list({ Action: 'DBGetTree', Family: ENDED })
  return found.flatMap(event => {
    const key = valueIn(event, 'key')
    if (!key.startsWith(family)) return []
    const own = key.slice(family.length)
    return [{ key: own, tenantId: Number.parseInt(own, 10), channel: own.slice(own.lastIndexOf('/') + 1) }]
  })
}
