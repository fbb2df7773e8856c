import { join } from 'node:path'
import { temporaryFolder } from '../support/app.ts'
import { startDaemon } from '../support/daemon.ts'

/** Prints how long other requests take while 200 logins wait, beside the same without them. Goal: p99 under 100 ms. */
const LOGINS = 200
const READERS = 10
const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }

const folder = temporaryFolder()
const daemon = await startDaemon({
  TRUNKLINE_DB: join(folder.path, 'flood.db'),
  TRUNKLINE_ADMIN_EMAIL: ADMIN.email,
  TRUNKLINE_ADMIN_PASSWORD: ADMIN.password,
  TRUNKLINE_TRUSTED_PROXIES: '1',
  TRUNKLINE_LOG_LEVEL: 'silent',
})

const logIn = async (n: number, credentials: typeof ADMIN): Promise<Response> => {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${n}` }
  const body = JSON.stringify(credentials)
  const response = await fetch(`${daemon.url}/api/admin/login`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response
}

const cookie = (await logIn(0, ADMIN)).headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** Milliseconds of each request that readers make, one after the other, until the end. */
async function readUntil(isOver: () => boolean): Promise<number[]> {
  const spent: number[] = []
  const reader = async (): Promise<void> => {
    while (!isOver()) {
      const started = performance.now()
      const response = await fetch(`${daemon.url}/api/tenants`, { headers: { cookie } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`a reader was answered with ${response.status}`)
      spent.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return spent.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)} ms`

const print = (what: string, spent: readonly number[]): void =>
  console.log(`${what.padEnd(28)} ${spent.length} requests, p50 ${at(spent, 0.5)}, p99 ${at(spent, 0.99)}`)

await readUntil(() => performance.now() > 3_000)
const quietEnd = performance.now() + 3_000
print('without logins', await readUntil(() => performance.now() > quietEnd))

const started = performance.now()
let waiting = LOGINS
const logins = Array.from({ length: LOGINS }, async (_, n) => {
  const { status } = await logIn(n + 1, { ...ADMIN, email: `nobody-${n}@example.com` })
  waiting--
  return status
})
print(`while ${LOGINS} logins wait`, await readUntil(() => waiting === 0))
const statuses = await Promise.all(logins)
const taken = statuses.filter(status => status === 422).length
console.log(`${taken} logins checked, ${LOGINS - taken} sent away, in ${Math.round(performance.now() - started)} ms`)
await daemon.stop()
folder.remove()
