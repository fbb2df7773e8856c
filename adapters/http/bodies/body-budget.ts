/** One body's part of a budget. */
export interface Share {
  /** Takes this many more bytes; false when the budget is spent. */
  take(bytes: number): boolean
  /** The body is whole: it keeps its bytes until they are returned, and is not cut for another body. */
  settle(): void
  /** Gives back all that it took. */
  release(): void
}

export interface BodyBudget {
  /** A share for a body that begins to come in. `giveUp` is called when it must make room, and must release it. */
  open(giveUp: () => void): Share
}

/**
 * The bytes that many bodies may take together. When they are spent, the body that has been coming in for longest makes
 * room: one that comes at once is not locked out by those that never end.
 */
export function bodyBudget(total: number): BodyBudget {
  let taken = 0
  const coming = new Map<Share, () => void>()

  const makeRoom = (bytes: number, asking: Share): boolean => {
    for (const [share, giveUp] of coming) {
      if (taken + bytes <= total) break
      if (share !== asking) giveUp()
    }
    return taken + bytes <= total
  }

  return {
    open: giveUp => {
      let own = 0
      const share: Share = {
        take: bytes => {
          if (taken + bytes > total && !makeRoom(bytes, share)) return false
          if (own === 0) coming.set(share, giveUp)
          own += bytes
          taken += bytes
          return true
        },
        settle: () => void coming.delete(share),
        release: () => {
          coming.delete(share)
          taken -= own
          own = 0
        },
      }
      return share
    },
  }
}
