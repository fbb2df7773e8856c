import type { Logger } from 'pino'
import type { Storage } from '../../core/ports/storage.ts'
import type { FollowerState, SwitchFollower } from '../../core/ports/switching.ts'
import type { Served } from '../serving.ts'
import { followSwitches } from './follow-switches.ts'
import type { Roster } from './roster.ts'

export interface SwitchState extends FollowerState {
  readonly kind: SwitchFollower['kind']
  /** Unix time in seconds; null until the switch has agreed with the database for the first time. */
  readonly reconciledAt: number | null
}

interface HeldSwitches {
  readonly done: readonly Promise<void>[]
  /** Returns the states of the switches whose duty this daemon has. */
  states(): readonly SwitchState[]
}

/**
 * Makes each switch agree with the database while this daemon has the duty. While another daemon has it, a switch whose
 * lookups this one answers is connected all the same: limits need its calls in progress.
 */
export function holdSwitches(
  duties: Roster,
  served: readonly Served[],
  { switchChanges, isShared }: Pick<Storage, 'switchChanges' | 'isShared'>,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): HeldSwitches {
  const reconciled = new Map<Served, number>()
  const hold = async (each: Served): Promise<void> => {
    const onlooker = isShared && each.mounts.length > 0 ? onlookerOf(each.follower, signal) : NO_ONLOOKER
    onlooker.begin()
    await duties.hold(each.name, async lost => {
      await onlooker.end()
      await followSwitches([each.follower], switchChanges(), log, lost, () => reconciled.set(each, Date.now() / 1000))
      onlooker.begin()
    })
    await onlooker.end()
  }
  const states = (): readonly SwitchState[] =>
    served
      .filter(({ name }) => duties.has(name))
      .map(each => {
        const { kind } = each.follower
        return { ...each.follower.state(), kind, reconciledAt: reconciled.get(each) ?? null }
      })
  return { done: served.map(hold), states }
}

/** A connection to a switch that tells it nothing. */
interface Onlooker {
  begin(): void
  end(): Promise<void>
}

const NO_ONLOOKER: Onlooker = { begin: () => undefined, end: async () => undefined }

function onlookerOf(follower: SwitchFollower, signal: AbortSignal): Onlooker {
  let ending = new AbortController()
  let running = Promise.resolve()
  return {
    begin: () => {
      ending = new AbortController()
      running = follower.run(() => undefined, AbortSignal.any([signal, ending.signal]))
    },
    end: async () => {
      ending.abort()
      await running
    },
  }
}
