import type { Worker } from 'node:worker_threads'
import type { Decks } from '../../core/ports/decks.ts'
import type { Records } from '../../core/ports/records.ts'
import type { Clock } from '../../core/ports/system.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { onDemand } from './on-demand.ts'
import { type Channel, peer } from './peer.ts'

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never

/** What the thread with the storage lets be called. */
type LongChanges = {
  remove(resource: string, ...rest: Rest<Parameters<Records['remove']>>): Promise<void>
  putInForce(): ReturnType<Decks['putInForce']>
  /** Closes the storage. */
  end(): Promise<void>
}

interface Served {
  readonly records: Pick<Records, 'remove'>
  readonly decks: Pick<Decks, 'putInForce'>
  close(): Promise<void>
}

/** Answers calls from the channel with this storage, until `end` is called. */
export function serveLongChanges({ records, decks, close }: Served, channel: Channel): void {
  const methods: LongChanges = {
    remove: (resource, ...rest) => records.remove(resourceNamed(resource), ...rest),
    putInForce: () => decks.putInForce(),
    end: close,
  }
  peer(channel, methods)
}

interface LongChanging {
  readonly records: Records
  readonly decks: Decks
  close(): Promise<void>
}

/**
 * The ports for records and decks, with the changes that take long on a thread of their own: a tenant that is deleted
 * with a million call records, an extension to which as many refer, or a deck of many rates that takes effect, is one
 * transaction of seconds.
 */
export function threadedChanges(
  here: { readonly records: Records; readonly decks: Decks },
  clock: Clock,
  start: () => Worker,
): LongChanging {
  const { records, decks } = here
  const thread = onDemand<LongChanges>(start, ({ call }) => call('end'))
  return {
    records: {
      ...records,
      remove: async (resource, id, options, by) =>
        options.cascade || (await records.isWidelyReferredTo(resource, id))
          ? thread.peer().call('remove', resource.name, id, options, by)
          : records.remove(resource, id, options, by),
    },
    decks: {
      ...decks,
      putInForce: async () => {
        const moment = await decks.nextMoment()
        return moment !== null && moment <= clock.now() ? thread.peer().call('putInForce') : []
      },
    },
    close: thread.close,
  }
}
