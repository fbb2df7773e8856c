import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { heldSwitch, PASSWORD } from '../../support/switching/event-socket.ts'
import { TYPESCRIPT } from '../../support/typescript.ts'
import { milliseconds, quantile, whole } from '../figures.ts'
import { load } from '../load.ts'
import { reading, writing } from '../rows/requests.ts'
import { type Bench, CONNECTIONS } from '../rows/row.ts'
import { type Server, startBareFeed, startSignedIn } from '../servers.ts'
import type { Line } from '../table.ts'
import { NET, settingsFor } from './world.ts'

interface Times {
  readonly ours: readonly number[]
  readonly bare: readonly number[]
}

/** The milliseconds of lookups while `busy` runs, without the first ones; see lookup-client.ts. */
async function beside(
  urls: readonly [ours: string, bare: string],
  { seconds, rounds }: Bench,
  busy: (seconds: number) => Promise<number>,
): Promise<Times & { readonly perSecond: number }> {
  const numbers = [...urls.map(url => new URL(url).port), String(seconds), String(seconds * rounds)]
  const args = [...TYPESCRIPT, 'test/bench/switch/lookup-client.ts', ...numbers]
  const client = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const loading = busy(seconds * (rounds + 1))
  client.stdin.end('go\n')
  const { value } = await lines.next()
  return { ...JSON.parse(value), perSecond: await loading }
}

const LOOKUP_PORT = 25_000 + NET * 10 + 3

/** A daemon that serves a switch which answers every command. */
async function withDaemon<T>(bench: Bench, run: (daemon: Server, lookupUrl: string) => Promise<T>): Promise<T> {
  const held = await heldSwitch({ answer: command => (command.endsWith('json') ? '{"row_count":0}' : '+OK\n') })
  const config = settingsFor(bench.folder, held.place.port, PASSWORD, LOOKUP_PORT)
  const daemon = await startSignedIn(bench.program, bench.databases.ours, [], { TRUNKLINE_CONFIG: config })
  try {
    return await run(daemon, `http://127.0.0.1:${LOOKUP_PORT}`)
  } finally {
    await daemon.stop()
    await held.close()
  }
}

const LOADS = [
  { what: 'nothing else', traffic: null },
  { what: 'GETs of one CDR', traffic: reading },
  { what: 'POSTs of a CDR', traffic: writing },
]

/** Lookups of the directory and the dialplan while API clients do what other rows measure. */
export const measureLookups = (bench: Bench): Promise<Line[]> =>
  withDaemon(bench, async (daemon, lookupUrl) => {
    const lines: Line[] = []
    const bareFeed = await startBareFeed()
    for (const { what, traffic } of LOADS) {
      const busy = async (seconds: number): Promise<number> => {
        if (!traffic) return pause(seconds * 1000, 0)
        const requests = traffic(bench, daemon)
        const given = { url: daemon.url, requests, seconds, connections: CONNECTIONS, folder: bench.folder }
        return (await load(given)).perSecond
      }
      const { ours, bare, perSecond } = await beside([lookupUrl, bareFeed.url], bench, busy)
      const [p50, p99, least] = [quantile(ours, 0.5), quantile(ours, 0.99), quantile(bare, 0.99)]
      lines.push({
        what: `lookup of a switch beside ${what}: p99`,
        baseline: milliseconds(least),
        ours: `${milliseconds(p99)} (p50 ${milliseconds(p50)}${perSecond > 0 ? `, beside ${whole(perSecond)}/s` : ''})`,
        ratio: (p99 / least).toFixed(2),
        goal: '< 5 ms',
        met: p99 < 5,
      })
    }
    await bareFeed.stop()
    return lines
  })
