import { AppError } from '../errors.ts'

/**
 * The most call records that quarantine holds. When it is full, a feed stops before the next unusable record and loses
 * nothing.
 */
export const QUARANTINE_ROOM = 100_000

export const quarantineFull = (): AppError =>
  new AppError(
    'conflict',
    `The quarantine is full (${QUARANTINE_ROOM} call records). This feed is not read any further until some are replayed or discarded.`,
    { hint: 'trunkline cdr quarantine list' },
  )
