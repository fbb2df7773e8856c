/** Runs the work and returns for how many milliseconds it held the event loop at most, in one go. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()]
  let next: NodeJS.Immediate
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    next = setImmediate(look)
  }
  next = setImmediate(look)
  try {
    await work()
  } finally {
    clearImmediate(next)
  }
  return longest
}

/**
 * Measures the turns of the event loop while something runs, in milliseconds of processor time: what else the machine
 * does meanwhile does not count. Returns the longest but one in a hundred.
 */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  const turns: number[] = []
  let isOver = false
  const running = run().finally(() => {
    isOver = true
  })
  for (let before = process.cpuUsage(); !isOver; before = process.cpuUsage()) {
    await new Promise(setImmediate)
    const { user, system } = process.cpuUsage(before)
    turns.push((user + system) / 1000)
  }
  await running
  return turns.sort((a, b) => a - b)[Math.floor(turns.length * 0.99)] ?? 0
}
