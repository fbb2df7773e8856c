import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Given, loadSettings } from '../../config/load.ts'
import { AppError } from '../../core/errors.ts'
import { temporaryFolder } from './http/app.ts'

/** Registers a folder for the settings files of a test file, and returns what reads them. */
export function settingsFolder() {
  const folder = temporaryFolder()
  after(folder.remove)
  let files = 0
  const fileWith = (content: unknown): string => {
    const path = join(folder.path, `${++files}.json`)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const empty = fileWith({})
  const load = (given: Partial<Given>) => loadSettings({ flags: {}, environment: {}, file: empty, ...given })
  /** Returns the message of the refusal. */
  const messageOf = (given: Partial<Given>): string => {
    try {
      load(given)
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'configuration', String(error))
      return error.message
    }
    return assert.fail(`nothing was thrown for ${JSON.stringify(given)}`)
  }
  return { folder, fileWith, load, messageOf }
}
