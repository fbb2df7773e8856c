import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../support/child.ts'
import { milliseconds, quantile } from '../figures.ts'
import { type Server, startSignedIn } from '../servers.ts'
import type { Row } from './row.ts'

const LISTS = 100
const SEARCHES = 60
const BETWEEN_MS = 10

/** Milliseconds of requests for one record and for a short list, until the time is over. */
async function others(daemon: Server, calls: number, seconds: number): Promise<{ one: number[]; list: number[] }> {
  const took = async (path: string): Promise<number> => {
    const started = performance.now()
    await (await fetch(`${daemon.url}${path}`, { headers: { cookie: daemon.cookie } })).text()
    return performance.now() - started
  }
  const [one, list]: [number[], number[]] = [[], []]
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(BETWEEN_MS)) {
    one.push(await took(`/api/cdrs/${1 + ((one.length * 7919) % calls)}`))
    list.push(await took('/api/cdrs?limit=50'))
  }
  return { one, list }
}

/** The effect on other clients of a hundred full lists and sixty searches without an index, all at once. */
export const crowd: Row = {
  name: 'crowd',
  run: async bench => {
    const daemon = await startSignedIn(bench.program, bench.databases.ours)
    const child = startChild('test/bench/readers/crowd.ts', [
      daemon.url,
      daemon.cookie,
      String(LISTS),
      String(SEARCHES),
    ])
    try {
      await child.printed(1)
      const { one, list } = await others(daemon, bench.cdrs, bench.seconds * bench.rounds)
      const resident = daemon.residentMiB()
      const what = `${LISTS} full lists and ${SEARCHES} searches at once`
      const p99 = (times: readonly number[]) => {
        const found = quantile(times, 0.99)
        return { baseline: '', ours: milliseconds(found), ratio: '', goal: '< 50 ms', met: found < 50 }
      }
      return [
        { what: `${what}: p99 of a GET of one CDR`, ...p99(one) },
        { what: `${what}: p99 of a list of 50`, ...p99(list) },
        {
          what: `${what}: resident set`,
          baseline: '',
          ours: resident === null ? '' : `${Math.round(resident)} MiB`,
          ratio: '',
          goal: '',
          met: null,
        },
      ]
    } finally {
      await child.kill()
      await daemon.stop()
    }
  },
}
