import { AppError } from '../../../core/errors.ts'

/** The account and the address that take turns. */
export interface Turn {
  readonly account: string
  readonly address: string
}

interface Waiting extends Turn {
  readonly start: () => void
  readonly refuse: () => void
  isOver: boolean
}

export interface FairQueue {
  /**
   * Runs `act` when its turn comes, one at a time for each account and each address. Throws `busy` if too many wait,
   * to whoever has the most waiting.
   */
  run<T>(turn: Turn, act: () => Promise<T>): Promise<T>
}

const busy = (): AppError => new AppError('busy', 'Too many logins at once; try again in a moment.', { retryAfter: 5 })

/**
 * Shares turns fairly, alternating between accounts and addresses: a flood from one address, or on one account, delays
 * nobody else.
 */
export function fairQueue({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }): FairQueue {
  const rings = { account: ring('account'), address: ring('address') }
  const underWay = { account: new Set<string>(), address: new Set<string>() }
  let running = 0
  let count = 0
  let isAccountsTurn = false

  const isFree = ({ account, address }: Turn): boolean =>
    !underWay.account.has(account) && !underWay.address.has(address)

  const leave = (entry: Waiting): void => {
    entry.isOver = true
    count--
    rings.account.leave(entry)
    rings.address.leave(entry)
  }

  const next = (): void => {
    while (running < atOnce && count > 0) {
      isAccountsTurn = !isAccountsTurn
      const entry = rings[isAccountsTurn ? 'account' : 'address'].take(isFree)
      if (!entry) return
      leave(entry)
      entry.start()
    }
  }

  /** Refuses a client that already has one waiting; otherwise the longest queue loses its last. */
  const makeRoom = (newcomer: Turn): void => {
    const isThere = rings.account.has(newcomer.account) || rings.address.has(newcomer.address)
    const last = isThere ? undefined : (rings.address.lastOfCrowd() ?? rings.account.lastOfCrowd())
    if (!last) throw busy()
    leave(last)
    last.refuse()
  }

  const begin = ({ account, address }: Turn): void => {
    running++
    underWay.account.add(account)
    underWay.address.add(address)
  }

  const end = ({ account, address }: Turn): void => {
    running--
    underWay.account.delete(account)
    underWay.address.delete(address)
    next()
  }

  return {
    run: async (turn, act) => {
      if (count >= maxWaiting) makeRoom(turn)
      await new Promise<void>((resolve, reject) => {
        const start = (): void => {
          begin(turn)
          resolve()
        }
        const entry = { ...turn, start, refuse: () => reject(busy()), isOver: false }
        count++
        rings.account.add(entry)
        rings.address.add(entry)
        next()
      })
      try {
        return await act()
      } finally {
        end(turn)
      }
    },
  }
}

/** Queues by account or by address; each goes to the back after its turn. */
function ring(by: keyof Turn) {
  const lines = new Map<string, Waiting[]>()
  const counts = new Map<string, number>()

  const waiting = (key: string): Waiting[] => {
    const line = (lines.get(key) ?? []).filter(({ isOver }) => !isOver)
    if (line.length === 0) lines.delete(key)
    else lines.set(key, line)
    return line
  }
  const add = (key: string, more: number): void => {
    const count = (counts.get(key) ?? 0) + more
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }
  return {
    add: (entry: Waiting): void => {
      const line = lines.get(entry[by])
      if (line) line.push(entry)
      else lines.set(entry[by], [entry])
      add(entry[by], 1)
    },
    leave: (entry: Waiting): void => add(entry[by], -1),
    has: (key: string): boolean => counts.has(key),
    take: (isFree: (entry: Waiting) => boolean): Waiting | undefined => {
      for (const key of lines.keys()) {
        const line = waiting(key)
        const entry = line.find(isFree)
        if (!entry) continue
        lines.delete(key)
        lines.set(key, line)
        return entry
      }
      return undefined
    },
    /** Returns the last of the longest queue, if that has two or more. */
    lastOfCrowd: (): Waiting | undefined => {
      let [longest, most] = ['', 1]
      for (const [key, count] of counts) if (count > most) [longest, most] = [key, count]
      return most > 1 ? waiting(longest).at(-1) : undefined
    },
  }
}
