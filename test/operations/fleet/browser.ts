import { setTimeout as pause } from 'node:timers/promises'
import type { DaemonProcess } from '../../support/daemon.ts'
import type { Answer } from '../../support/http/app.ts'
import type { Desk } from '../../support/http/transfers.ts'
import { valuesIn } from './fleet.ts'

const CALLS = 'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at\n'
/** A file of calls by that caller, each to a number of its own. */
export const calls = (count: number, caller: string): string =>
  CALLS + Array.from({ length: count }, (_, n) => `${caller},${n},outbound,BUSY,0,0,0,2026-01-01T00:00:00Z\n`).join('')

/** A browser behind a balancer that sends each request to the next daemon. */
export function browser(fleet: () => readonly DaemonProcess[], session: string): Desk {
  let requests = 0
  const next = (): string => fleet()[requests++ % fleet().length]?.url ?? ''
  return {
    session,
    get url() {
      return next()
    },
    ask: async (method, path, json): Promise<Answer> => {
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const headers = { cookie: session, 'content-type': 'application/json' }
      const response = await fetch(`${next()}${path}`, { method, headers, ...body })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null }
    },
  }
}

/** How many calls of that caller are stored, and to how many numbers. */
export const storedBy = async (db: string, caller: string): Promise<readonly string[]> =>
  valuesIn(
    db,
    `SELECT count(*) || ' ' || count(DISTINCT destination_number) FROM cdrs WHERE caller_number = '${caller}'`,
  )

/** Resolves once a job has read as many rows. */
export async function untilRows(desk: Desk, id: number, rows: number): Promise<void> {
  while ((await desk.ask('GET', `/api/console/jobs/${id}`)).json.data.progress.rows < rows) await pause(20)
}
