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
  end(): Promise<void>
}

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
  const methods: LookupMethods = {
    begin: async () => {
      begun = await open((what, ...parameters) => {
        // The other side may be gone.
        main.call(what, ...parameters).catch(() => undefined)
      })
      return begun.url
    },
    answer: lookup => present().answer(lookup),
    shown: (calls, askedAt) => present().shown(calls, askedAt),
    end: async () => begun?.close(),
  }
  const main = peer<R>(channel, methods)
}

/**
 * Begins lookups on a thread of their own, which reports by calling `reports`: neither what this thread does meanwhile
 * nor its commits hold up an answer. `onDeath` is called if the thread ends before it is closed. Throws what begins
 * them.
 */
export async function threadedLookups<R extends Methods>(
  start: () => Worker,
  reports: R,
  onDeath: (reason: unknown) => void,
): Promise<ServedLookups> {
  const thread = start()
  const there = peer<LookupMethods>(thread, reports)
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
      close: async () => {
        isServing = false
        await there.call('end').finally(end)
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}
