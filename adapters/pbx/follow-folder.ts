import { rm, stat } from 'node:fs/promises'
import { AppError } from '../../core/errors.ts'
import type { SwitchRecord } from '../../core/ports/calls.ts'
import { areEnough, assertWithin, isMissing, LARGEST_OBJECT, readRecordFile, recordFiles } from './files.ts'
import type { FollowTools } from './follow-tools.ts'

/**
 * A file that changed more recently may still be written, or change again within one tick of the file system's clock.
 */
const SETTLED_MS = 5_000
/** Stored files are checked again every few turns, and after some time. */
const TURNS = 60
const WHOLE_MS = 60_000

/**
 * Takes in each file of a folder to which a switch writes one file per record, and changed files again within a
 * minute. The folder's own time reveals new files; only a rewritten file itself reveals the change.
 */
export async function followFolder(tools: FollowTools): Promise<void> {
  const { path, signal, rest } = tools
  const look = looker(tools)
  let changedAt = Number.NaN
  let wholeAt = 0
  let isUnsettled = false
  for (let turn = 0; !signal.aborted; turn++) {
    const { mtimeMs } = await stat(path)
    tools.setMissing(false)
    const now = Date.now()
    const isWhole = turn % TURNS === 0 || now - wholeAt >= WHOLE_MS
    if (isWhole || isUnsettled || mtimeMs !== changedAt) {
      isUnsettled = (await look(isWhole)) || now - mtimeMs < SETTLED_MS
      changedAt = mtimeMs
      if (isWhole) wholeAt = now
    }
    await rest()
  }
}

/** Checks the files that are not stored yet, or all of them; returns true if one may still be written. */
function looker(tools: FollowTools) {
  const { path, signal, setLag, onTrouble } = tools
  let taken = new Map<string, number>()
  let reported = new Map<string, number>()
  return async (isWhole: boolean): Promise<boolean> => {
    const present = new Map<string, number>()
    const unreadable = new Map<string, number>()
    let later = 0
    let isUnsettled = false
    const waiting = storing(tools)
    for (const file of await recordFiles(path)) {
      if (signal.aborted) return true
      const before = taken.get(file)
      const found: Found =
        before !== undefined && !isWhole ? { is: 'taken', at: before } : await visit(path, file, before)
      if (found.is === 'taken' || found.is === 'read') present.set(file, found.at)
      if (found.is === 'read') await waiting.add(file, found)
      if (found.is === 'unsettled') isUnsettled = true
      if (found.is === 'unsettled' || found.is === 'unreadable') later += found.size
      if (found.is === 'unreadable') {
        unreadable.set(file, found.at)
        if (reported.get(file) !== found.at) onTrouble(found.trouble)
      }
    }
    await waiting.finish()
    taken = present
    reported = unreadable
    setLag(later)
    return isUnsettled
  }
}

/** Stores the contents of files, many together, and then removes them if that is wanted. */
function storing({ store, removes, onTrouble }: FollowTools) {
  let waiting: { readonly file: string; readonly found: Extract<Found, { is: 'read' }> }[] = []
  const finish = async (): Promise<void> => {
    if (waiting.length === 0) return
    await store(
      waiting.map(({ found }) => found.record),
      null,
    )
    for (const { file, found } of removes ? waiting : [])
      if (found.isWhole) await rm(file, { force: true }).catch(onTrouble)
    waiting = []
  }
  return {
    add: async (file: string, found: Extract<Found, { is: 'read' }>): Promise<void> => {
      waiting.push({ file, found })
      if (areEnough(waiting.map(each => each.found.record))) await finish()
    },
    finish,
  }
}

/** A file as found; `at` is when it changed. */
type Found =
  | { readonly is: 'missing' }
  | { readonly is: 'taken'; readonly at: number }
  | {
      readonly is: 'read'
      readonly at: number
      readonly record: SwitchRecord
      /** False if it is only the beginning of a file that is too large to be a record. */
      readonly isWhole: boolean
    }
  | { readonly is: 'unsettled'; readonly size: number }
  | { readonly is: 'unreadable'; readonly at: number; readonly size: number; readonly trouble: AppError }

async function visit(folder: string, file: string, before: number | undefined): Promise<Found> {
  let [at, size] = [0, 0]
  try {
    ;({ mtimeMs: at, size } = await stat(file))
    if (at === before) return { is: 'taken', at }
    await assertWithin(folder, file)
    const record = size === 0 ? null : await readRecordFile(file)
    const isWhole = record !== null && 'call' in record
    if (!isWhole && Date.now() - at < SETTLED_MS) return { is: 'unsettled', size }
    return record ? { is: 'read', at, record, isWhole: size <= LARGEST_OBJECT } : { is: 'missing' }
  } catch (error) {
    if (isMissing(error)) return { is: 'missing' }
    return {
      is: 'unreadable',
      at,
      size,
      trouble: new AppError('malformed', `${file} cannot be read; its call is missing until it can.`, { cause: error }),
    }
  }
}
