// Loaded into the daemon that is fuzzed, before its own code; sends over IPC what the process held since its last report.
import { isMainThread } from 'node:worker_threads'

/** How often the event loop is looked at, in milliseconds. */
const EVERY_MS = 5

let longest = 0
let wall = performance.now()
let processor = process.cpuUsage()

function look() {
  const now = performance.now()
  const { user, system } = process.cpuUsage(processor)
  // Neither what other programs do nor what other threads do counts: the lesser of both times.
  longest = Math.max(longest, Math.min(now - wall, (user + system) / 1000) - EVERY_MS)
  wall = now
  processor = process.cpuUsage()
}

if (isMainThread && process.send) {
  setInterval(look, EVERY_MS).unref()
  process.on('message', () => {
    look()
    const delayMs = longest
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.send({ delayMs, heapMiB: (heapUsed + external) / 2 ** 20 })
    look()
    longest = 0
  })
  // It must not keep the daemon from ending.
  process.channel?.unref()
}
