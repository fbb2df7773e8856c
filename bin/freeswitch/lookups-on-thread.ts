import type { http, RequestMetrics } from '../../adapters/http/http.ts'
import { threads } from '../../adapters/threads/threads.ts'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../core/errors.ts'
import type { Serving } from '../serving.ts'
import type { Located } from '../storage/database-place.ts'
import { startProgram } from '../threaded.ts'

type Place = Parameters<typeof http.assertFree>[0]

type PlaceSettings = Pick<Settings, 'host' | 'port' | 'metrics_port' | 'freeswitch'>

/** Returns where lookups have a port of their own; null if they have none. Throws `configuration`. */
export function lookupPlace({ host, port, metrics_port, freeswitch }: PlaceSettings): Place | null {
  const lookupPort = freeswitch?.lookup_port
  const namedBy = 'gateway-url of xml_curl.conf in the configuration of FreeSWITCH'
  if (lookupPort === undefined) return null
  const [taken] = Object.entries({ port, metrics_port }).find(([, other]) => other !== 0 && other === lookupPort) ?? []
  if (taken !== undefined)
    throw new AppError(
      'configuration',
      `freeswitch.lookup_port is ${lookupPort}, and so is ${taken}; set freeswitch.lookup_port to a free port, and ${namedBy} to the same port.`,
    )
  return { host, port: lookupPort, setting: 'freeswitch.lookup_port', namedBy }
}

/** What the thread of the lookups is started with. */
export interface LookupData extends Pick<Settings, 'log_level'> {
  readonly located: Located
  /** The address of its own listener; null for none. */
  readonly listens: Place | null
  readonly token: string
  readonly allowed: readonly string[]
}

/** What the thread of the lookups reports. */
export type LookupReports = Pick<Serving, 'writeLog' | 'decided' | 'onLimit'> & RequestMetrics

/** Begins the lookups of a FreeSWITCH on a thread with its own connection. */
export const lookupsOnThread = (
  data: LookupData,
  { log, writeLog, decided, onLimit, onDeath, metrics: { request, refusal, cut } }: Serving,
): ReturnType<typeof threads.lookups> =>
  threads.lookups<LookupReports>(
    () => startProgram('lookup-thread', data),
    { writeLog, decided, onLimit, request, refusal, cut },
    {
      onDeath,
      onStuck: afterMs =>
        log.error({ after_ms: afterMs }, 'the thread that answers the switch does not end: it is stopped'),
    },
  )
