import type { Connection } from './database.ts'

/** By then, any process that has the database open for writing, such as a daemon with its search index, has written. */
const QUIET_MS = 1_000

export interface Others {
  /** Returns whether no other connection has committed lately. */
  areQuiet(): boolean
}

/** Checks, as often as asked, whether others write to the database. */
export function otherWriters(connection: Connection): Others {
  const haveCommitted = othersCommits(connection)
  let lastSeen = Number.NEGATIVE_INFINITY
  return {
    areQuiet: () => {
      if (haveCommitted()) lastSeen = performance.now()
      return performance.now() - lastSeen > QUIET_MS
    },
  }
}

/**
 * Returns a function that tells whether another connection has committed since the last call, at a fraction of a
 * query's cost.
 */
export function othersCommits({ value }: Connection): () => boolean {
  const version = value<[], number>('PRAGMA data_version')
  let latest = version.get()
  return () => {
    const former = latest
    latest = version.get()
    return latest !== former
  }
}
