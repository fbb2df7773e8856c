import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Readable by the group, which is the switch's; hashes of secrets are in it. */
const MODE = 0o640

/** Puts the text in the file's place at once, or leaves it as it was. Returns false where it was the same already. */
export async function writeFileWhole(path: string, text: string): Promise<boolean> {
  const present = await readFile(path, 'utf8').catch(() => null)
  if (present === text) return false
  const folder = dirname(path)
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temporary, 'wx', MODE)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  const parent = await open(folder)
  await parent.sync().finally(() => parent.close())
  return true
}
