/**
 * Sends lookups at a steady rate to a daemon and, between them, to a program that decides nothing, once a line comes in
 * on standard input; prints their milliseconds as JSON. A process of its own, whose requests are made before, so that
 * it measures the servers: the garbage of making them held an answer up by as much as 5 ms.
 *
 *   lookup-client.ts PORT PORT-OF-THE-OTHER SECONDS-TO-WARM-UP SECONDS
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { lookupRequests } from './lookup-requests.ts'

/** As many calls and registrations as a switch of 20,000 telephones has in its busiest hours. */
const PER_SECOND = 100
const GAP_MS = 1000 / PER_SECOND

const [port = 0, other = 0, warming = 0, seconds = 0] = process.argv.slice(2).map(Number)
const requests = lookupRequests((warming + seconds) * PER_SECOND)

/** Milliseconds until the whole answer has arrived. */
function sent(to: number, request: Buffer): Promise<number> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null
    const socket = connect(to, '127.0.0.1')
    socket.setNoDelay(true).write(request)
    socket
      .on('data', piece => {
        first ??= piece
      })
      .on('end', () => {
        if (first?.toString('latin1', 9, 12) === '200') resolve(performance.now() - started)
        else reject(new Error(`A lookup was answered with ${first?.toString('latin1', 0, 40)}.`))
      })
      .on('error', reject)
  })
}

console.log('ready')
await once(process.stdin, 'data')
const times: { ours: Promise<number>[]; bare: Promise<number>[] } = { ours: [], bare: [] }
const began = performance.now()
const until = async (due: number): Promise<void> => {
  const ms = began + due - performance.now()
  if (ms > 0) await pause(ms)
}
for (const [n, request] of requests.entries()) {
  await until(n * GAP_MS)
  times.ours.push(sent(port, request))
  await until((n + 0.5) * GAP_MS)
  times.bare.push(sent(other, request))
}
const measured = async (all: readonly Promise<number>[]): Promise<readonly number[]> =>
  (await Promise.all(all)).slice(warming * PER_SECOND)
console.log(JSON.stringify({ ours: await measured(times.ours), bare: await measured(times.bare) }))
process.exit()
