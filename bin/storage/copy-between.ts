import { system } from '../../adapters/system/system.ts'
import { type Copying, copyDatabase, type TableCopied } from '../../core/use-cases/upkeep/copy-database.ts'
import { databasePlace, type Located } from './database-place.ts'

/** Copies a database from one place to another, which is empty. */
export async function copyBetween(
  from: Located,
  to: Located,
  watching: Pick<Copying, 'onProgress' | 'signal'>,
): Promise<readonly TableCopied[]> {
  const source = await (await databasePlace(from)).copySource()
  const target = await (await databasePlace(to)).copyTarget()
  return copyDatabase({ source, target, digests: system.digests(), ...watching })
}
