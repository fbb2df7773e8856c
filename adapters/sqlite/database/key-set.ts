/** Characters of long texts that are read at once, about: some milliseconds. */
export const PIECE = 256 * 1024

export interface Some<R> {
  readonly rows: readonly R[]
  /** True when they came to that, so that more may follow. */
  readonly isCut: boolean
}

/** The first rows, to the one by which they come to that length, or to that number. */
export function upTo<R>(length: number, rows: Iterable<R>, lengthOf: (row: R) => number, count = Infinity): Some<R> {
  const some: R[] = []
  let total = 0
  for (const row of rows) {
    some.push(row)
    total += lengthOf(row)
    if (total >= length || some.length >= count) return { rows: some, isCut: true }
  }
  return { rows: some, isCut: false }
}

/**
 * Pages of rows, each of `size` but the last, or of as many as come to a `PIECE` by `lengthOf`. Each is read after the
 * last row of the one before, when it is asked for, so that no cursor stays open and rows may be changed in between.
 */
export function* keySetPages<R>(
  size: number,
  read: (last: R | undefined) => Iterable<R>,
  lengthOf: (row: R) => number = () => 0,
): Generator<readonly R[]> {
  let last: R | undefined
  for (;;) {
    const { rows, isCut } = upTo(PIECE, read(last), lengthOf, size)
    if (rows.length > 0) yield rows
    if (!isCut) return
    last = rows.at(-1)
  }
}
