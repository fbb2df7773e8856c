import type { Connection } from './database.ts'

/** By then, any process that has the database open for writing, such as a daemon with its search index, has written. */
const QUIET_MS = 1_000

export interface Others {
  /** Has no other connection committed lately? */
  areQuiet(): boolean
}

/** Looks whether others write in the database, as often as it is asked. */
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

/** Tells whether another connection has committed since it was asked last, at a fraction of a query's cost. */
export function othersCommits({ value }: Connection): () => boolean {
  const version = value<[], number>('PRAGMA data_version')
  let known = version.get()
  return () => {
    const former = known
    known = version.get()
    return known !== former
  }
}
