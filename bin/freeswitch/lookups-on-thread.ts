import type { http, RequestMetrics } from '../../adapters/http/http.ts'
import { threads } from '../../adapters/threads/threads.ts'
import type { Settings } from '../../config/settings.ts'
import type { Serving } from '../serving.ts'
import type { Located } from '../storage/database-place.ts'
import { startProgram } from '../threaded.ts'

type Place = Parameters<typeof http.assertFree>[0]

/** Returns where lookups have a port of their own; null if they have none. */
export function lookupPlace({ host, freeswitch }: Pick<Settings, 'host' | 'freeswitch'>): Place | null {
  const port = freeswitch?.lookup_port
  if (port === undefined) return null
  const namedBy = 'gateway-url of xml_curl.conf in the configuration of FreeSWITCH'
  return { host, port, setting: 'freeswitch.lookup_port', namedBy }
}

/** What the thread of the lookups is started with. */
export interface LookupData extends Pick<Settings, 'log_level'> {
  readonly located: Located
  /** The address of its own listener; null for none. */
  readonly listens: Place | null
  readonly token: string
  readonly allowed: readonly string[]
  /** Where the switch leaves the records that it cannot post; null if the settings do not say. */
  readonly cdrFolder: string | null
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
