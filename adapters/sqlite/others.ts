import type { Connection } from './database.ts'

/** Who has the database open to write in it, such as a daemon that follows with its search index, has written by then. */
const QUIET_MS = 1_000

export interface Others {
  /** Has no other connection committed lately? */
  areQuiet(): boolean
}

/** Looks whether others write in the database, as often as it is asked. */
export function otherWriters({ db }: Connection): Others {
  const version = (): unknown => db.pragma('data_version', { simple: true })
  let known = version()
  let lastSeen = Number.NEGATIVE_INFINITY
  return {
    areQuiet: () => {
      const present = version()
      if (present !== known) lastSeen = performance.now()
      known = present
      return performance.now() - lastSeen > QUIET_MS
    },
  }
}
