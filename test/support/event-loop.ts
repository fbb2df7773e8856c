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
