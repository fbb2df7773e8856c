/**
 * Pages of rows, each of `size` or more but the last. Each is read after the last row of the one before, when it is
 * asked for, so that no cursor stays open and rows may be changed in between.
 */
export function* keySetPages<R>(size: number, read: (last: R | undefined) => readonly R[]): Generator<readonly R[]> {
  for (let rows = read(undefined); rows.length > 0; rows = read(rows.at(-1))) {
    yield rows
    if (rows.length < size) return
  }
}
