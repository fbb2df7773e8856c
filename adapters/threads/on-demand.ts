import type { Worker } from 'node:worker_threads'
import { type Methods, type Peer, peer } from './peer.ts'

/** A thread that starts when first needed, and again after it has died. */
export interface OnDemand<M extends Methods> {
  peer(): Peer<M>
  /** Ends the thread, if there is one, after it has done what it was asked. */
  close(): Promise<void>
}

/** `start` starts a thread that answers `Theirs` and may call `ours`; `end` makes the last call to it. */
export function onDemand<Theirs extends Methods>(
  start: () => Worker,
  end: (there: Peer<Theirs>) => Promise<void>,
  ours: Methods = {},
): OnDemand<Theirs> {
  let running: { readonly thread: Worker; readonly there: Peer<Theirs> } | null = null
  const run = () => {
    const thread = start()
    const there = peer<Theirs>(thread, ours)
    thread.once('error', reason => {
      there.end(reason)
      running = null
    })
    return { thread, there }
  }
  return {
    peer: () => {
      running ??= run()
      return running.there
    },
    close: async () => {
      const ending = running
      running = null
      if (!ending) return
      try {
        await end(ending.there)
      } finally {
        await ending.thread.terminate()
      }
    },
  }
}
