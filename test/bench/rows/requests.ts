import { seeded } from '../dataset.ts'
import { alternate, median, milliseconds, perSecond, times, whole } from '../figures.ts'
import { load, type Request } from '../load.ts'
import { type Server, startBaseline, startFleet, startSignedIn } from '../servers.ts'
import { type Bench, CONNECTIONS, type Goals, type Row, variants } from './row.ts'

/** Runs with both servers and stops them in any case. */
export async function serving<T>(bench: Bench, run: (daemon: Server, baseline: Server) => Promise<T>): Promise<T> {
  const daemon = await startFleet(bench.daemons, bench.program, bench.databases.ours)
  try {
    const baseline = await baselineOf(bench)
    try {
      return await run(daemon, baseline)
    } finally {
      await baseline.stop()
    }
  } finally {
    await daemon.stop()
  }
}

const baselineOf = ({ beside, program, databases }: Bench): Promise<Server> =>
  beside === 'bare program' ? startBaseline(databases.baseline) : startSignedIn(program, databases.baseline)

/** The same requests for both, distinguished by the start of their path. */
type Traffic = (bench: Bench, target: Pick<Server, 'prefix' | 'cookie'>) => readonly Request[]

/** Warm-up rounds that do not count: code becomes fast only after a while, in each of several daemons. */
const WARMING = 2

/** A row that compares the daemon and the baseline under the same load; slow answers need longer rounds. */
const compared = (name: string, what: string, goals: Goals, traffic: Traffic, longer = 1): Row => ({
  name,
  run: bench =>
    serving(bench, async (daemon, baseline) => {
      const { seconds, folder } = bench
      const goal = bench.beside === 'one daemon' ? 1 : goals[bench.beside]
      const rate = async (server: Server): Promise<number> => {
        const requests = traffic(bench, server)
        const connections = Math.ceil(CONNECTIONS / server.urls.length)
        const loads = server.urls.map(url => load({ url, requests, seconds: seconds * longer, connections, folder }))
        return (await Promise.all(loads)).reduce((sum, { perSecond }) => sum + perSecond, 0)
      }
      for (let round = 0; round < WARMING * bench.daemons; round++) {
        if (bench.isCompared) await rate(baseline)
        await rate(daemon)
      }
      const found = await alternate(
        bench,
        () => rate(baseline),
        () => rate(daemon),
      )
      const ratio = found.ours / found.baseline
      return [
        {
          what,
          baseline: perSecond(found.baseline),
          ours: perSecond(found.ours),
          ratio: times(ratio),
          goal: `≥ ${goal} ×`,
          met: ratio >= goal,
        },
      ]
    }),
})

export const reading: Traffic = ({ cdrs }, { prefix, cookie }) => {
  const random = seeded(7)
  return variants(() => ({ path: `${prefix}/cdrs/${1 + random(cdrs)}`, headers: { cookie } }))
}

export const writing: Traffic = (_, { prefix, cookie }) =>
  variants(i => ({
    path: `${prefix}/cdrs`,
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: cdrBody(i),
  }))

const listing: Traffic = (_, { prefix, cookie }) => [{ path: `${prefix}/cdrs?limit=1000`, headers: { cookie } }]

const cdrBody = (i: number): string =>
  JSON.stringify({
    tenant_id: 1 + (i % 100),
    extension_id: 1 + i,
    caller_number: String(1000 + i),
    destination_number: `+38044${1_000_000 + i}`,
    direction: 'outbound',
    disposition: 'ANSWERED',
    duration_seconds: 61,
    bill_seconds: 66,
    cost: '0.0123',
    started_at: '2026-11-01T12:00:00Z',
    ended_at: '2026-11-01T12:01:01Z',
  })

export const getCdr = compared(
  'get-cdr',
  'authenticated GET of one CDR with its tenant and extension',
  { 'bare program': 0.8, sqlite: 1 },
  reading,
)
export const listPage = compared(
  'list-page',
  'list of the newest 1,000 CDRs (`limit=1000`)',
  { 'bare program': 1.5, sqlite: 0.4 },
  listing,
  2,
)
export const postCdr = compared(
  'post-cdr',
  'durable POST of a CDR, validated, authenticated',
  { 'bare program': 4, sqlite: 1.5 },
  writing,
)

/** What the answers to these needles hold: the medians of their matches and of their kilobytes. */
async function sizes({ url, cookie }: Server, needles: readonly number[]): Promise<string> {
  const found: { matches: number; bytes: number }[] = []
  for (const needle of needles) {
    const response = await fetch(`${url}/api/cdrs?search=${needle}`, { headers: { cookie } })
    const text = await response.text()
    found.push({ matches: JSON.parse(text).data.length, bytes: text.length })
  }
  const matches = median(found.map(answer => answer.matches))
  return `${whole(matches)} matches, ${whole(median(found.map(({ bytes }) => bytes)) / 1000)} KB`
}

/** The median time of whole answers, one request after the other. */
async function searching(bench: Bench, daemon: Server, baseline: Server, make: () => number) {
  const { seconds, folder } = bench
  const needles = variants(make)
  const p50 = async ({ url, prefix, cookie }: Server): Promise<number> => {
    const requests = needles.map(needle => ({ path: `${prefix}/cdrs?search=${needle}`, headers: { cookie } }))
    return (await load({ url, requests, seconds: seconds * 2, connections: 1, folder })).p50
  }
  await p50(daemon)
  const found = await alternate(
    bench,
    () => p50(baseline),
    () => p50(daemon),
  )
  return { ...found, ratio: found.baseline / found.ours, sizes: await sizes(daemon, needles.slice(0, 21)) }
}

export const search: Row = {
  name: 'search',
  run: bench =>
    serving(bench, async (daemon, baseline) => {
      const random = seeded(11)
      const isBare = bench.beside === 'bare program'
      const halved = ({ ratio }: { readonly ratio: number }) => ({ goal: '≥ 0.5 ×', met: ratio >= 0.5 })
      const many = await searching(bench, daemon, baseline, () => 1000 + random(9000))
      const few = await searching(bench, daemon, baseline, () => 1_000_000 + random(9_000_000))
      const shown = ({ baseline, ours, ratio, sizes }: typeof many) => ({
        baseline: milliseconds(baseline),
        ours: `${milliseconds(ours)} (${sizes})`,
        ratio: times(ratio),
      })
      return [
        {
          what: 'search for 4 characters, every match sent (p50)',
          ...shown(many),
          ...(isBare ? { goal: 'p50 < 20 ms, ≥ 50 ×', met: many.ours < 20 && many.ratio >= 50 } : halved(many)),
        },
        {
          what: 'search for 7 characters, every match sent (p50)',
          ...shown(few),
          ...(isBare ? { goal: '', met: null } : halved(few)),
        },
      ]
    }),
}
