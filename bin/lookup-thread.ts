import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { freeswitch } from '../adapters/freeswitch/freeswitch.ts'
import { http, type RequestMetrics } from '../adapters/http/http.ts'
import { system } from '../adapters/system/system.ts'
import { threads } from '../adapters/threads/threads.ts'
import { logInto } from './daemon/log.ts'
import type { LookupData, LookupReports } from './freeswitch/lookups-on-thread.ts'
import { noteDecision, noteRequests } from './freeswitch/requests.ts'
import { databasePlace } from './storage/database-place.ts'

/** How long lookups in flight may continue. */
const GRACE_MS = 2_000

/**
 * Has Linux run this thread before the daemon's others, since a call waits for it. Returns whether it may:
 * LimitNICE in the unit allows it.
 */
function preferThisThread(): boolean {
  try {
    setPriority(constants.priority.PRIORITY_ABOVE_NORMAL)
    return true
  } catch {
    return false
  }
}

const { located, listens, log_level, token, allowed, cdrFolder }: LookupData = workerData
if (!parentPort) throw new Error('This file is a worker thread, not a program.')
threads.serve.lookups<LookupReports>(async report => {
  const log = logInto(log_level, line => report('writeLog', line))
  const metrics: RequestMetrics = {
    request: (...of) => report('request', ...of),
    refusal: status => report('refusal', status),
    cut: reason => report('cut', reason),
  }
  const noting: Parameters<typeof noteDecision>[0] = {
    log,
    decided: of => report('decided', of),
    onLimit: (limited, use) => report('onLimit', limited, use),
  }
  const preferred = preferThisThread()
  log.debug({ preferred }, 'lookups have a thread of their own')
  const clock = system.clock()
  const storage = await (await databasePlace(located)).open({ clock, foldsLog: false })
  const directory = storage.switchDirectory()
  const lookups = freeswitch.lookups({ directory, clock, key: token, cdrFolder, onDecision: noteDecision(noting) })
  const mount = freeswitch.mounts.lookup({ token, allowed, ...noteRequests(noting) }, lookups.answer)
  const app = http.mounted([mount], log, metrics)
  const place = listens && { ...listens, trusted_proxies: 0 }
  const server = place && (await http.serve(() => app, place, { log, metrics, urgent: [mount.path] }))
  return {
    ...lookups,
    url: server?.url ?? null,
    close: async () => {
      await server?.stop(GRACE_MS)
      await storage.close()
    },
  }
}, parentPort)
