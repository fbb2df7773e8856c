import type { Worker } from 'node:worker_threads'
import type { Actor } from '../../core/audit.ts'
import type { Records } from '../../core/ports/records.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { onDemand } from './on-demand.ts'
import { type Channel, peer } from './peer.ts'

/** What the thread with the storage lets be called. */
type RemovalMethods = {
  removeAll(resource: string, id: number, by: Actor | undefined): Promise<void>
  /** Closes the storage. */
  end(): Promise<void>
}

interface Served {
  readonly records: Pick<Records, 'remove'>
  close(): Promise<void>
}

/** Answers calls from the channel with this storage, until `end` is called. */
export function serveRemovals({ records, close }: Served, channel: Channel): void {
  const methods: RemovalMethods = {
    removeAll: (resource, id, by) => records.remove(resourceNamed(resource), id, { cascade: true }, by),
    end: close,
  }
  peer(channel, methods)
}

/**
 * The port for records, with a deletion that takes dependants along on a thread of its own: a tenant with a million
 * call records takes seconds, and goes in one transaction.
 */
export function threadedRemovals(here: Records, start: () => Worker): { records: Records; close(): Promise<void> } {
  const thread = onDemand<RemovalMethods>(start, ({ call }) => call('end'))
  return {
    records: {
      ...here,
      remove: (resource, id, options, by) =>
        options.cascade
          ? thread.peer().call('removeAll', resource.name, id, by)
          : here.remove(resource, id, options, by),
    },
    close: thread.close,
  }
}
