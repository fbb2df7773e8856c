import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { Calls } from '../../core/ports/calls.ts'
import type { SwitchTable } from '../../core/ports/switching/table.ts'
import type { LimitUsage, RatedPrefixes, SwitchDirectory, SwitchFollower } from '../../core/ports/switching.ts'
import type { Clock } from '../../core/ports/system.ts'
import { keepConnected } from '../../core/switching/keep-connected.ts'
import { usedSoFar } from '../../core/switching/stored/costs-so-far.ts'
import { callWatch } from './calls/call-watch.ts'
import { belongsTo, channelsIn } from './calls/channels.ts'
import { endedCalls } from './calls/ended-calls.ts'
import { type ReachedLimit, type RefusedCall, refusals } from './calls/refused-calls.ts'
import { type Manager, type ManagerPlace, onManager, openManager } from './manager.ts'
import { reloader } from './reloader.ts'
import type { FileName } from './render/files.ts'
import type { LeftOut } from './render/lines.ts'
import { type Source, type SourceParts, source } from './source.ts'
import { IN_FILE, TELEPHONES, tableReading, telephonesInTable } from './telephone-place.ts'
import { filesIn } from './written-files.ts'

export interface FollowerParts {
  readonly directory: SwitchDirectory
  readonly usage: LimitUsage
  readonly rates: RatedPrefixes
  readonly calls: Pick<Calls, 'catalog'>
  readonly clock: Clock
  /** The folder of the files that Asterisk's own configuration includes. */
  readonly folder: string
  readonly place: ManagerPlace
  /** The database of telephones; null if they are in `pjsip.conf`. */
  readonly table: SwitchTable | null
  /** Milliseconds, by a clock that never goes back. */
  readonly now: () => number
  /** Called when the connection has failed and is retried, or a file was rejected. */
  onTrouble(error: unknown): void
  onTaken(name: FileName, ms: number): void
  /** Called with each call that the dialplan refuses, and the limit that it has reached, if that is why. */
  onRefused(call: RefusedCall, reached: ReachedLimit | null): void
  /** Called with the records that cannot be on the switch, when these change. */
  onLeftOut(leftOut: readonly LeftOut[]): void
}

/** Keeps an Asterisk's files in line with the database, and makes it read changed ones. */
export function asteriskFollower(parts: FollowerParts): SwitchFollower {
  const { folder, place, table, now, onTrouble } = parts
  let onDue: Parameters<SwitchFollower['run']>[0] = () => undefined
  const watch = callWatch({
    ...{ place, clock: parts.clock },
    isNeeded: () => rendered.isPriced(),
    onLooked: async slugs => {
      const spent = await rendered.newlySpent(slugs)
      if (spent.size > 0) onDue(spent)
    },
  })
  const inTable = table && telephonesInTable(table)
  const used: SourceParts['used'] = spender => usedSoFar(spender, watch.calls(), { ...parts, limitUsage: parts.usage })
  const rendered = source({ ...parts, used }, inTable ?? IN_FILE)
  const written = filesIn(folder)
  const reading = tableReading(inTable, place)
  const ended = endedCalls(parts)
  const none = (error: unknown): [] => {
    onTrouble(error)
    return []
  }
  const settled: Awaited<ReturnType<typeof ended.settled>> = []
  let manager: Manager | null = null
  const reloads = reloader({
    now,
    onTrouble,
    onTaken: (name, ms) => {
      parts.onTaken(name, ms)
      // Ends calls placed between the end of the others and this reload.
      if (name === 'extensions') endRefused(place, rendered).then(forgetSettled).catch(onTrouble)
    },
  })
  const forgetSettled = async (): Promise<void> => {
    if (reloads.waiting().includes('extensions')) return
    await ended.forget(settled.splice(0))
  }
  const tellLeftOut = whenChanged(parts.onLeftOut)
  return {
    kind: 'asterisk',
    run: async (due, signal) => {
      onDue = due
      const watching = watch.run(signal)
      const end = (): void => manager?.close()
      signal.addEventListener('abort', end)
      const use = async (): Promise<void> => {
        try {
          manager = await openManager(place, { onUserEvent: refusals(parts, watch.calls) })
          await reloads.begin(manager)
          if (!signal.aborted) due('all')
          await manager.closed
        } catch (error) {
          // A switch that is started later finds its files.
          if (!written.areThere() && isUnavailable(error)) due('all')
          throw error
        } finally {
          manager?.close()
          manager = null
          reading.forget()
          reloads.end()
        }
      }
      const wait = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
      await keepConnected(use, { onTrouble, pause: wait }, signal)
      signal.removeEventListener('abort', end)
      await watching
    },
    limited: rendered.limited,
    state: () => ({
      isConnected: manager !== null,
      pending: [...(reading.isSeen() ? [] : [TELEPHONES]), ...reloads.waiting().map(name => `${name}.conf`)],
    }),
    reconcile: async changed => {
      const isLimited = changed === 'all' || rendered.limited().size > 0
      // Notes that cannot be read now are read again with the next change.
      const toForget = manager && isLimited ? await ended.settled(changed).catch(none) : []
      const { files: texts, leftOut } = await rendered.refresh(changed)
      const { files, refusesMore } = await written.write(texts)
      tellLeftOut(leftOut)
      const tookAccess = inTable?.tookAccess() ?? false
      reloads.want(files, tookAccess || refusesMore)
      settled.push(...toForget)
      if (manager) reading.see().catch(onTrouble)
      if (manager) await endRefused(place, rendered).then(forgetSettled)
    },
  }
}

/** Calls `tell` with a list that differs from the last one; not with an empty first one. */
function whenChanged<T>(tell: (list: readonly T[]) => void): (list: readonly T[]) => void {
  let last = '[]'
  return list => {
    const all = JSON.stringify(list)
    if (all !== last) tell(list)
    last = all
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable'

/** Ends the calls of inactive tenants, on a connection of its own: the other one may be waiting for a long reload. */
async function endRefused(place: ManagerPlace, { inactive }: Source): Promise<void> {
  const slugs = inactive()
  if (slugs.size === 0) return
  await onManager(place, async manager => {
    for (const channel of channelsIn(await manager.list({ Action: 'CoreShowChannels' })))
      if (belongsTo(channel, slugs)) await manager.ask({ Action: 'Hangup', Channel: channel.name, Cause: '16' })
  })
}
