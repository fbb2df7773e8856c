import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Readable by the group, which is the switch's; the file holds hashes of secrets. */
const MODE = 0o640

/** Replaces the file in one step, or leaves it as it was. Returns false if it had the same text already. */
export async function writeFileWhole(path: string, text: string): Promise<boolean> {
  const present = await readFile(path, 'utf8').catch(() => null)
  if (present === text) return false
  const folder = dirname(path)
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temporary, 'wx', MODE)
    try {
      // Whatever the umask: the service's own lets no group read.
      await file.chmod(MODE)
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
