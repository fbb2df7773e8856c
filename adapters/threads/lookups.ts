import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { SwitchLookups } from '../../core/ports/switching/lookups.ts'
import { type Channel, type Methods, peer } from './peer.ts'

/** Lookups that have begun. */
export interface ServedLookups extends SwitchLookups {
  /** The URL of their own listener; null if they have none. */
  readonly url: string | null
  /** Finishes what is in flight, and closes what was opened for them. */
  close(): Promise<void>
}

/** What the thread offers. */
type LookupMethods = {
  /** Returns the URL. */
  begin(): Promise<string | null>
  answer: SwitchLookups['answer']
  shown: SwitchLookups['shown']
  ended: SwitchLookups['ended']
  end(): Promise<void>
}

/** What the thread has to report: the names of methods of the other side, with their parameters. */
type Reported = readonly (readonly [what: string, parameters: readonly unknown[]])[]

type ReportMethods = { reported(all: Reported): void }

/** The longest that a thread may take to end: more than lookups in flight may continue. */
const END_MS = 5_000

/** Milliseconds in which reports gather: passing them on one by one took an eighth of the thread's time. */
const GATHERING_MS = 20

/** Reports something to the other thread; nothing waits for it. */
export type Report<R extends Methods> = <K extends keyof R & string>(what: K, ...parameters: Parameters<R[K]>) => void

/** Answers calls from the channel with the lookups that `open` begins, until `end` is called. */
export function serveLookups<R extends Methods>(
  open: (report: Report<R>) => Promise<ServedLookups>,
  channel: Channel,
): void {
  let begun: ServedLookups | null = null
  const present = (): ServedLookups => {
    if (!begun) throw new Error('No lookups have begun.')
    return begun
  }
  let gathered: [string, unknown[]][] = []
  const send = async (): Promise<void> => {
    const all = gathered
    gathered = []
    // The other side may be gone.
    await main.call('reported', all).catch(() => undefined)
  }
  const report: Report<R> = (what, ...parameters) => {
    if (gathered.push([what, parameters]) === 1) setTimeout(send, GATHERING_MS)
  }
  const methods: LookupMethods = {
    begin: async () => {
      begun = await open(report)
      return begun.url
    },
    answer: lookup => present().answer(lookup),
    shown: (calls, askedAt) => present().shown(calls, askedAt),
    ended: call => present().ended(call),
    end: async () => {
      await begun?.close()
      await send()
    },
  }
  const main = peer<ReportMethods>(channel, methods)
}

export interface ThreadWatching {
  /** Called if the thread ends before it is closed. */
  onDeath(reason: unknown): void
  /** Called if the thread has not ended in this time, when it is stopped whatever it does. */
  onStuck(afterMs: number): void
}

/**
 * Begins lookups on a thread of their own, which reports by calling `reports`: neither what this thread does meanwhile
 * nor its commits hold up an answer. Throws what begins them.
 */
export async function threadedLookups<R extends Methods>(
  start: () => Worker,
  reports: R,
  { onDeath, onStuck }: ThreadWatching,
  endMs = END_MS,
): Promise<ServedLookups> {
  const thread = start()
  const ours: ReportMethods = {
    reported: all => {
      for (const [what, parameters] of all) reports[what]?.(...parameters)
    },
  }
  const there = peer<LookupMethods>(thread, ours)
  let isServing = false
  const died = (reason: unknown): void => {
    there.end(reason)
    if (isServing) onDeath(reason)
    isServing = false
  }
  thread.once('error', died)
  thread.once('exit', code => died(new Error(`The thread of the lookups ended with ${code}.`)))
  const end = async (): Promise<void> => {
    isServing = false
    await thread.terminate()
  }
  try {
    const url = await there.call('begin')
    isServing = true
    return {
      url,
      answer: lookup => there.call('answer', lookup),
      shown: (calls, askedAt) => there.call('shown', calls, askedAt),
      ended: call => there.call('ended', call),
      close: async () => {
        isServing = false
        const ended = there.call('end').then(() => true)
        try {
          if (!(await Promise.race([ended, pause(endMs, false, { ref: false })]))) onStuck(endMs)
        } finally {
          await end()
        }
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}
