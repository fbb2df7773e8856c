import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../support/child.ts'
import { alternate, milliseconds, quantile, times, whole } from '../figures.ts'
import type { Server } from '../servers.ts'
import { serving } from './requests.ts'
import type { Row } from './row.ts'

const BETWEEN_MS = 10

interface Beside {
  /** Milliseconds of other requests meanwhile. */
  readonly others: number[]
  residentMiB: number
}

/** Reads the whole list in a separate process during other requests; returns rows a second. */
async function readAll(daemon: Server, rows: number, beside: Beside): Promise<number> {
  const reader = startChild('test/bench/readers/reader.ts', [`${daemon.url}/api/cdrs`, daemon.cookie])
  const over = reader.ended().then(() => true)
  await reader.printed(1)
  while (!(await Promise.race([over, pause(BETWEEN_MS, false)]))) {
    const started = performance.now()
    const response = await fetch(`${daemon.url}/api/cdrs/${1 + (beside.others.length % rows)}`, {
      headers: { cookie: daemon.cookie },
    })
    await response.text()
    beside.others.push(performance.now() - started)
    beside.residentMiB = Math.max(beside.residentMiB, daemon.residentMiB() ?? 0)
  }
  return (rows * 1000) / Number(reader.lines[1])
}

const figure = async ({ url }: Server, path: string): Promise<number> => {
  const { figure } = (await (await fetch(`${url}${path}`)).json()) as { figure: number }
  return figure
}

export const listAll: Row = {
  name: 'list-all',
  run: bench =>
    serving(bench, async (daemon, baseline) => {
      const beside: Beside = { others: [], residentMiB: 0 }
      const found = await alternate(
        bench,
        () =>
          bench.beside === 'sqlite'
            ? readAll(baseline, bench.cdrs, { others: [], residentMiB: 0 })
            : figure(baseline, '/iterate'),
        () => readAll(daemon, bench.cdrs, beside),
      )
      const ratio = found.ours / found.baseline
      const p99 = quantile(beside.others, 0.99)
      const list = 'list of all CDRs'
      const goal = bench.beside === 'sqlite' ? 0.8 : 0.7
      return [
        {
          what: list,
          baseline: `${whole(found.baseline)} rows/s`,
          ours: `${whole(found.ours)} rows/s`,
          ratio: times(ratio),
          goal: `≥ ${goal} ×`,
          met: ratio >= goal,
        },
        {
          what: `${list}: resident set`,
          baseline: '',
          ours: `${whole(beside.residentMiB)} MiB`,
          ratio: '',
          goal: '< 200 MiB',
          met: beside.residentMiB < 200,
        },
        {
          what: `${list}: p99 of another request`,
          baseline: '',
          ours: milliseconds(p99),
          ratio: '',
          goal: '< 50 ms',
          met: p99 < 50,
        },
      ]
    }),
}

export { figure }
