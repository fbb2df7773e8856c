/** About the most characters of long texts to read at once: some milliseconds. */
export const PIECE = 256 * 1024

export interface Some<R> {
  readonly rows: readonly R[]
  /** True if the limit was reached, so that more may follow. */
  readonly isCut: boolean
}

/** Returns the first rows, up to the one that reaches that length or number. */
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
 * Yields pages of rows, each with `size` rows, except the last, or as many as reach a `PIECE` by `lengthOf`. Reads
 * each page on demand, after the last row of the previous one, so that no cursor stays open and rows may change in
 * between.
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
