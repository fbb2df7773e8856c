import { AppError } from '../errors.ts'

/** How many call records may wait in quarantine. A feed whose next ones find no room stands still, and loses nothing. */
export const QUARANTINE_ROOM = 100_000

export const quarantineFull = (): AppError =>
  new AppError(
    'conflict',
    `The quarantine is full (${QUARANTINE_ROOM} call records). This feed is not read any further until some are replayed or discarded.`,
    { hint: 'trunkline cdr quarantine list' },
  )
