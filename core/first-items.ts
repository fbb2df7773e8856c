/** Returns the first items, at most that many, and whether there are more. */
export async function first<T>(
  all: AsyncIterable<T>,
  most: number,
): Promise<{ readonly shown: T[]; readonly isMore: boolean }> {
  const shown: T[] = []
  for await (const each of all) {
    if (shown.length >= most) return { shown, isMore: true }
    shown.push(each)
  }
  return { shown, isMore: false }
}
