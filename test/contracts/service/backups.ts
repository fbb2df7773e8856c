import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import { insert, listOf } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const backupsContract = contract('backups', ['maintenance', 'records'], { opensCopies: true })
const { behaviour } = backupsContract

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-backups-'))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

behaviour('a backup contains everything stored before it was made, and nothing later', async given => {
  const { maintenance, records, onBackup } = given
  await insert(records, 'tenants', { slug: 'before' })
  await inFolder(async folder => {
    const path = join(folder, 'copy')
    const { bytes } = await maintenance.backup(path)
    assert.ok(bytes > 0)
    await insert(records, 'tenants', { slug: 'after' })
    await onBackup(path, async copy => {
      assert.deepEqual(
        (await listOf(copy.records, 'tenants')).map(({ slug }) => slug),
        ['before'],
      )
      assert.deepEqual(await copy.maintenance.check(), [])
    })
  })
})

behaviour('a backup replaces no file, and leaves no draft behind', async ({ maintenance }) => {
  await inFolder(async folder => {
    const path = join(folder, 'copy')
    writeFileSync(path, 'somebody else’s')
    await assert.rejects(
      maintenance.backup(path),
      (error: unknown) => error instanceof AppError && error.code === 'conflict',
    )
    assert.deepEqual(readdirSync(folder), ['copy'])
  })
})
