import { AppError } from '../../errors.ts'
import type { Digests } from '../../ports/digests.ts'
import type {
  CopiedRows,
  CopiedTable,
  CopySource,
  CopyTarget,
  DatabaseContents,
  DatabaseFilling,
} from '../../ports/storage.ts'
import { RowsHash } from './rows-hash.ts'

/** How far a copy is, in rows read: each once to be stored, and once to be verified. */
export interface CopyProgress {
  readonly done: number
  readonly total: number
}

export interface TableCopied {
  readonly table: string
  readonly rows: number
  /** Hexadecimal; see `RowsHash`. */
  readonly hash: string
}

export interface Copying {
  readonly source: CopySource
  readonly target: CopyTarget
  readonly digests: Pick<Digests, 'hash'>
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Aborting it leaves nothing at the target. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Copies a whole database as it is at one moment, and compares each table with what was read before the copy becomes
 * visible. Throws `conflict` if the target is not empty, and `corrupt` if a table differs.
 */
export const copyDatabase = ({ source, target, ...copying }: Copying): Promise<readonly TableCopied[]> =>
  source.asOfNow(contents => target.fill(filling => copied(contents, filling, copying)))

async function copied(
  contents: DatabaseContents,
  filling: DatabaseFilling,
  { digests, onProgress, signal }: Omit<Copying, 'source' | 'target'>,
): Promise<readonly TableCopied[]> {
  const tables = await sameTables(contents, filling)
  let total = 0
  for (const table of tables) total += 2 * (await contents.count(table))
  let done = 0
  async function* passing(rows: CopiedRows, hash: RowsHash): CopiedRows {
    for await (const some of rows) {
      signal?.throwIfAborted()
      for (const row of some) hash.add(row)
      yield some
      done += some.length
      onProgress?.({ done, total })
    }
  }
  const found: TableCopied[] = []
  for (const table of tables) {
    const [read, stored] = [new RowsHash(digests), new RowsHash(digests)]
    await filling.store(table, passing(contents.rows(table), read))
    for await (const _ of passing(filling.rows(table), stored));
    if (stored.rows !== read.rows || stored.hex !== read.hex) throw differs(table)
    found.push({ table: table.name, rows: stored.rows, hash: stored.hex })
  }
  await filling.continueAfter(await contents.lastIds())
  return found
}

const differs = ({ name }: CopiedTable): AppError =>
  new AppError('corrupt', `The table ${name} was not stored as it was read, so nothing was copied.`)

/** The source's tables, in the target's order. Throws `internal` if the two do not hold the same. */
async function sameTables(contents: DatabaseContents, filling: DatabaseFilling): Promise<readonly CopiedTable[]> {
  const [copied, wanted] = [await contents.tables(), await filling.tables()]
  const shapeOf = ({ name, columns }: CopiedTable): string => [name, ...columns.toSorted()].join()
  if (copied.map(shapeOf).sort().join(';') !== wanted.map(shapeOf).sort().join(';'))
    throw new AppError('internal', 'The two storages do not hold the same tables.')
  return wanted
}
