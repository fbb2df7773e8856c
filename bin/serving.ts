import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Metrics } from '../adapters/http/http.ts'
import type { Settings } from '../config/settings.ts'
import type { Calls } from '../core/ports/calls.ts'
import type { Mount } from '../core/ports/switching/mounts.ts'
import type { LimitUsage, RatedPrefixes, SwitchDirectory, SwitchFollower } from '../core/ports/switching.ts'
import type { Clock } from '../core/ports/system.ts'
import { REFUSALS } from '../core/switching/decision.ts'
import type { LimitWatch } from '../core/use-cases/calls/limit-watch.ts'
import { compose } from './compose.ts'

/** What serving a switch needs. */
export interface Serving {
  readonly directory: SwitchDirectory
  readonly usage: LimitUsage
  readonly rates: RatedPrefixes
  readonly calls: Pick<Calls, 'catalog' | 'store'>
  readonly clock: Clock
  readonly log: Logger
  /** Writes a line that the log of another thread has made. */
  writeLog(line: string): void
  readonly metrics: Pick<Metrics, 'counter' | 'request' | 'refusal' | 'cut'>
  readonly decided: Decided
  /** Called with each limit that refuses a call. */
  onLimit(...reached: Parameters<LimitWatch['reached']>): void
  /** Called if a thread that a switch depends on has ended by itself. */
  onDeath(reason: unknown): void
}

/** A switch that the daemon serves. */
export interface Served {
  readonly follower: SwitchFollower
  /** Tells the switch from others that the daemons of a database serve. */
  readonly name: string
  /** Paths that the switch requests. */
  readonly mounts: readonly Mount[]
  /** The folder where the switch leaves call records, one file each, removed once they are stored; null for none. */
  readonly folder: string | null
  /** Ends what was started to serve it. */
  close(): Promise<void>
}

const LOOPBACK = /^(?:localhost|127\.|::1$)/

/** Returns what tells a switch from others: another machine's loopback is another switch. */
export const switchName = (kind: SwitchFollower['kind'], { host, port }: { host: string; port: number }): string =>
  `${kind} ${LOOPBACK.test(host) ? `${hostname()} ` : ''}${host}:${port}`

/** Returns a function that opens the storage, and closes it after `read`. */
export const storedFor =
  (settings: Settings) =>
  async <T>(read: (storage: Storage) => Promise<T>): Promise<T> => {
    const { storage, close } = await compose(settings, () => '', { foldsLog: false })
    try {
      return await read(storage)
    } finally {
      await close()
    }
  }

type Storage = Awaited<ReturnType<typeof compose>>['storage']

/** Counts what is decided on a registration, an authentication, a call or a request. */
export type Decided = (of: { readonly what: string; readonly refusal: string }) => void

/** A series with an alert must exist before it first counts. */
const EXPECTED = [
  ...['none', ...REFUSALS].map(refusal => ({ what: 'call', refusal })),
  ...['token', 'address'].map(refusal => ({ what: 'request', refusal })),
]

export const decisionsCounted = ({ counter }: Pick<Metrics, 'counter'>): Decided =>
  counter(
    'trunkline_switch_decisions_total',
    'Decisions on registrations, authentications and calls, by the reason of refusal, or none; refused requests',
    ['what', 'refusal'],
    EXPECTED,
  )
