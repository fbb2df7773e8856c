import type { Logger } from 'pino'
import type { Storage } from '../../core/ports/storage.ts'

/** The duties of this daemon among those that serve its database. */
export interface Roster {
  /** Does the work whenever this daemon has the duty; see `Duties`. */
  hold(duty: string, work: (signal: AbortSignal) => Promise<void>): Promise<void>
  /** Returns whether this daemon has the duty now. */
  has(duty: string): boolean
  /** The duties that it has, or waits for. */
  all(): readonly string[]
}

/** Where several daemons may serve, logs which one has a duty. */
export function roster(
  { duties, isShared }: Pick<Storage, 'duties' | 'isShared'>,
  log: Logger,
  signal: AbortSignal,
): Roster {
  const known = new Map<string, boolean>()
  const note = (duty: string, isOurs: boolean): void => {
    if (isShared && known.get(duty) !== isOurs)
      log.info({ duty }, isOurs ? 'this daemon has the duty' : 'this daemon no longer has the duty')
    known.set(duty, isOurs)
  }
  return {
    has: duty => known.get(duty) === true,
    all: () => [...known.keys()],
    hold: (duty, work) => {
      known.set(duty, false)
      const noting = async (lost: AbortSignal): Promise<void> => {
        note(duty, true)
        try {
          await work(lost)
        } finally {
          note(duty, false)
        }
      }
      return duties.hold(duty, noting, signal)
    },
  }
}
