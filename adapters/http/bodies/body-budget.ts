/** One body's share of a budget. */
export interface Share {
  /** Takes this many more bytes; returns false when the budget is spent. */
  take(bytes: number): boolean
  /** Marks the body as complete: it keeps its bytes until they are returned, and is not cut to make room. */
  settle(): void
  /** Returns all its bytes to the budget. */
  release(): void
}

export interface BodyBudget {
  /** Opens a share for a new body. `giveUp` is called when it must make room, and must release it. */
  open(giveUp: () => void): Share
}

/**
 * A budget of bytes for many bodies together. When it is spent, the body that has been arriving longest makes room, so
 * that bodies which never end cannot lock out quick ones.
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
