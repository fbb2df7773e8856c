import { setTimeout as pause } from 'node:timers/promises'

/** Bytes of a block, and how long the first of them wait for others. */
const BLOCK = 256 * 1024
const WAIT_MS = 200

/**
 * Joins pieces to blocks, so that each is worth a write: as many as come within a moment. If the pieces break off,
 * yields those that came before.
 */
export async function* inBlocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = pieces[Symbol.asyncIterator]()
  let next = source.next()
  for (;;) {
    const { block, reading } = await nextBlock(source, next)
    if (block.length > 0) yield block
    if (reading === null) return
    next = reading
  }
}

type Reading = Promise<IteratorResult<Buffer>>

/** A block, and the reading of the piece after it; null after the last one. */
async function nextBlock(
  source: AsyncIterator<Buffer>,
  first: Reading,
): Promise<{ readonly block: Buffer; readonly reading: Reading | null }> {
  const gathered: Buffer[] = []
  let [reading, length] = [first, 0]
  const full = new AbortController()
  let waited: Promise<null> | null = null
  try {
    while (length < BLOCK) {
      const piece = await (waited ? Promise.race([reading, waited]) : reading)
      if (piece === null) break
      if (piece.done) return { block: Buffer.concat(gathered), reading: null }
      gathered.push(piece.value)
      length += piece.value.length
      waited ??= pause(WAIT_MS, null, { signal: full.signal }).catch(() => null)
      reading = source.next()
      // It may break off while a block is being written.
      reading.catch(() => undefined)
    }
  } catch (error) {
    // The same error comes again with the next block.
    if (gathered.length === 0) throw error
  } finally {
    full.abort()
  }
  return { block: Buffer.concat(gathered), reading }
}
