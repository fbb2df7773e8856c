import type { Worker } from 'node:worker_threads'
import type { Calls } from '../../core/ports/calls.ts'
import type { Decks } from '../../core/ports/decks.ts'
import type { Records } from '../../core/ports/records.ts'
import type { Clock } from '../../core/ports/system.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { onDemand } from './on-demand.ts'
import { type Channel, peer } from './peer.ts'

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never

/** What the thread with the storage offers. */
type LongWork = {
  remove(resource: string, ...rest: Rest<Parameters<Records['remove']>>): Promise<void>
  putInForce(): ReturnType<Decks['putInForce']>
  usage(...parameters: Parameters<Calls['usage']>): ReturnType<Calls['usage']>
  rerate(...parameters: Parameters<Calls['rerate']>): ReturnType<Calls['rerate']>
  /** Closes the storage. */
  end(): Promise<void>
}

interface Served {
  readonly records: Pick<Records, 'remove'>
  readonly decks: Pick<Decks, 'putInForce'>
  readonly calls: Pick<Calls, 'usage' | 'rerate'>
  close(): Promise<void>
}

/** Answers calls from the channel with this storage, until `end` is called. */
export function serveLongChanges({ records, decks, calls, close }: Served, channel: Channel): void {
  const methods: LongWork = {
    remove: (resource, ...rest) => records.remove(resourceNamed(resource), ...rest),
    putInForce: () => decks.putInForce(),
    usage: (...parameters) => calls.usage(...parameters),
    rerate: (...parameters) => calls.rerate(...parameters),
    end: close,
  }
  peer(channel, methods)
}

interface LongChanging {
  readonly records: Records
  readonly decks: Decks
  readonly calls: Calls
  close(): Promise<void>
}

/**
 * Runs long changes of records, decks and calls on their own thread. Deleting a tenant with a million call records or
 * an extension with as many references, and putting a large deck in force, are single transactions of seconds; a
 * monthly report, and rating a month again, read every call of the month.
 */
export function threadedChanges(
  here: { readonly records: Records; readonly decks: Decks; readonly calls: Calls },
  clock: Clock,
  start: () => Worker,
): LongChanging {
  const { records, decks, calls } = here
  const thread = onDemand<LongWork>(start, ({ call }) => call('end'))
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
    calls: {
      ...calls,
      // A signal cannot be passed to a thread.
      usage: (tenantId, days, by) => thread.peer().call('usage', tenantId, days, by),
      // Nor can a function.
      rerate: (query, { signal: _, ...options }) =>
        options.onChanges ? calls.rerate(query, options) : thread.peer().call('rerate', query, options),
    },
    close: thread.close,
  }
}
