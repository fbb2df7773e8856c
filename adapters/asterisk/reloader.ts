import { AppError } from '../../core/errors.ts'
import type { Manager } from './manager.ts'
import { isShown, type MarkedFile, MODULES } from './marked.ts'
import { FILES, type FileName } from './render/files.ts'

export interface Reloader {
  /** Makes the switch read files that it does not have yet, soon; at once if a change refuses something. */
  want(files: Readonly<Record<FileName, MarkedFile>>, isUrgent: boolean): void
  /** Asks a newly connected switch which files it has. */
  begin(manager: Manager): Promise<void>
  end(): void
  /** Returns the files that the switch has not confirmed. */
  waiting(): readonly FileName[]
}

export interface Reloading {
  /** Called after the switch has read a file. */
  onTaken(name: FileName, ms: number): void
  onTrouble(error: unknown): void
  readonly now: () => number
}

/** Changes within this time are read together. */
const GATHER_MS = 200
/**
 * After a reload the switch rests for this many times as long. While it reloads phones, none can register; a reload of
 * another file holds nothing up.
 */
const REST: Readonly<Record<FileName, number>> = { pjsip: 10, extensions: 1, queues: 1, voicemail: 1 }
/**
 * Even an urgent change waits for others that arrive with it, for this part of the time that the last reload took: a
 * second reload would keep phones from registering as long again.
 */
const URGENT_GATHER = 0.05
const LONGEST_URGENT_MS = 500
/** A reload that takes longer has failed, and the connection is closed. */
const LONGEST_MS = 60_000
const AFTER_TROUBLE_MS = 5_000

/** Reloads one file at a time, the dialplan first, and checks that each was read. */
export function reloader({ onTaken, onTrouble, now }: Reloading): Reloader {
  let manager: Manager | null = null
  let wanted: Readonly<Record<FileName, MarkedFile>> | null = null
  let isBusy = false
  /** The states of all files since the present reload began: the switch may have read any of them. */
  let written: Readonly<Record<FileName, MarkedFile>>[] = []
  let timer: NodeJS.Timeout | undefined
  const has = new Map<FileName, string>()
  const due = new Map<FileName, number>()
  const free = new Map<FileName, number>()
  const took = new Map<FileName, number>()
  /** Files with a change that refuses something: these do not rest. */
  const urgent = new Set<FileName>()

  const missing = (): FileName[] => FILES.filter(name => wanted && has.get(name) !== wanted[name].marker)
  const dueAt = (name: FileName): number => Math.max(due.get(name) ?? 0, urgent.has(name) ? 0 : (free.get(name) ?? 0))
  const plan = (): void => {
    clearTimeout(timer)
    const [next] = missing().toSorted((one, other) => dueAt(one) - dueAt(other))
    if (!manager || isBusy || next === undefined) return
    timer = setTimeout(() => void step(), Math.max(0, dueAt(next) - now()))
    timer.unref()
  }
  const step = async (): Promise<void> => {
    const name = missing().find(each => dueAt(each) <= now())
    const file = name && wanted?.[name]
    if (!manager || !file || !name || isBusy) return plan()
    isBusy = true
    written = wanted ? [wanted] : []
    due.delete(name)
    urgent.delete(name)
    const begun = now()
    try {
      await manager.ask({ Action: 'Reload', Module: MODULES[name].module }, LONGEST_MS)
      has.set(name, await shownMarker(manager, name, new Set(written.map(files => files[name].marker))))
      const ms = now() - begun
      took.set(name, ms)
      free.set(name, now() + ms * REST[name])
      onTaken(name, ms)
    } catch (error) {
      for (const each of FILES) due.set(each, Math.max(due.get(each) ?? 0, now() + AFTER_TROUBLE_MS))
      onTrouble(error)
    } finally {
      isBusy = false
      plan()
    }
  }
  return {
    want: (files, isUrgent) => {
      wanted = files
      written.push(files)
      for (const name of missing()) {
        if (isUrgent) urgent.add(name)
        const gather = isUrgent ? Math.min(LONGEST_URGENT_MS, (took.get(name) ?? 0) * URGENT_GATHER) : GATHER_MS
        const soonest = now() + gather
        due.set(name, Math.min(due.get(name) ?? soonest, soonest))
      }
      plan()
    },
    begin: async found => {
      for (const name of missing()) {
        const marker = wanted?.[name].marker ?? ''
        if (isShown(await found.command(MODULES[name].show(marker)), marker)) has.set(name, marker)
      }
      for (const each of [due, free, urgent]) each.clear()
      manager = found
      plan()
    },
    end: () => {
      manager = null
      clearTimeout(timer)
      has.clear()
    },
    waiting: missing,
  }
}

/** Returns which of these markers the switch shows. */
async function shownMarker(manager: Manager, name: FileName, markers: ReadonlySet<string>): Promise<string> {
  const { module, show } = MODULES[name]
  for (const marker of markers) if (isShown(await manager.command(show(marker)), marker)) return marker
  throw new AppError(
    'conflict',
    `Asterisk does not show what ${name}.conf holds now, though it has reloaded ${module}: its own ${name}.conf must include it, and its log says what it could not read.`,
    { hint: 'trunkline switch check' },
  )
}
