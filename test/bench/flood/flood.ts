/**
 * Prints how long another client's requests take, and how much memory the daemon holds, while it is attacked:
 *
 *   npm run bench:flood -- [ATTACK …] [--program FILE]
 *
 * Goals: a p99 under 100 ms, a resident set under 300 MiB.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../../support/http/app.ts'
import { TYPESCRIPT } from '../../support/typescript.ts'
import { type Server, startSignedIn } from '../servers.ts'

const LOGINS = 200
const READERS = 10
const HOLD_MS = 5_000

/** Attacks of connections: what each sends, and how many there are. */
const CONNECTIONS = [
  ['silent', 2_050],
  ['gzip', 1_950],
  ['gzip', 19_500],
  ['body', 19_500],
  ['unread', 1_950],
] as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { program: { type: 'string', default: 'dist/bin/trunklined.js' } },
})
const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name)

interface Reading {
  /** The durations of answered requests in milliseconds, sorted. */
  readonly spent: readonly number[]
  readonly failed: number
  readonly peakMiB: number
}

/** What readers measure that send one request after another until the attack ends. */
async function readUntil({ url, cookie, residentMiB }: Server, isOver: () => boolean): Promise<Reading> {
  const spent: number[] = []
  let [failed, peakMiB] = [0, 0]
  const reader = async (): Promise<void> => {
    while (!isOver()) {
      const started = performance.now()
      try {
        const response = await fetch(`${url}/api/tenants`, { headers: { cookie } })
        await response.arrayBuffer()
        if (response.status !== 200) failed++
        spent.push(performance.now() - started)
      } catch {
        failed++
      }
      peakMiB = Math.max(peakMiB, residentMiB() ?? 0)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return { spent: spent.sort((a, b) => a - b), failed, peakMiB }
}

const forSome = (server: Server, ms: number): Promise<Reading> => {
  const end = performance.now() + ms
  return readUntil(server, () => performance.now() > end)
}

function print(what: string, { spent, failed, peakMiB }: Reading, more = ''): void {
  const at = (share: number): string => `${(spent[Math.floor(spent.length * share)] ?? 0).toFixed(1)} ms`
  const requests = `${spent.length} requests, ${failed} failed, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1 - 1e-9)}`
  console.log(`${what.padEnd(24)} ${requests}, ${Math.round(peakMiB)} MiB${more}`)
}

async function attack(server: Server, kind: string, connections: number): Promise<void> {
  const child = spawn(
    process.execPath,
    [...TYPESCRIPT, 'test/bench/flood/attack.ts', kind, server.url, String(connections)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let [isOver, counts] = [false, '']
  createInterface(child.stdout).once('line', line => {
    counts = line
    setTimeout(() => {
      isOver = true
    }, HOLD_MS)
  })
  const reading = await readUntil(server, () => isOver || child.exitCode !== null)
  print(`${connections} ${kind}`, reading, ` ${counts}`)
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/** Logins from as many addresses, named by a proxy. */
async function logins(server: Server): Promise<void> {
  const started = performance.now()
  let waiting = LOGINS
  const statuses = Array.from({ length: LOGINS }, async (_, n) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${n}` }
    const body = JSON.stringify({ email: `nobody-${n}@example.com`, password: 'no such password' })
    const { status } = await fetch(`${server.url}/api/admin/login`, { method: 'POST', headers, body })
    waiting--
    return status
  })
  const reading = await readUntil(server, () => waiting === 0)
  const taken = (await Promise.all(statuses)).filter(status => status === 422).length
  print(`${LOGINS} logins`, reading, `; ${taken} checked in ${Math.round(performance.now() - started)} ms`)
}

/** Runs an attack on a fresh daemon. */
async function against(
  act: (server: Server) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  const folder = temporaryFolder()
  const server = await startSignedIn(values.program, join(folder.path, 'flood.db'), [], environment)
  try {
    await forSome(server, 2_000)
    print('before', await forSome(server, 2_000))
    await act(server)
  } finally {
    await server.stop()
    folder.remove()
  }
}

if (isWanted('logins')) await against(logins, { TRUNKLINE_TRUSTED_PROXIES: '1' })
for (const [kind, connections] of CONNECTIONS)
  if (isWanted(kind)) await against(server => attack(server, kind, connections))
