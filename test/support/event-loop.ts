/**
 * The turns of the event loop while something runs, in milliseconds of processor time, the longest first: what else the
 * machine does meanwhile does not count.
 */
async function turnsOf(run: () => Promise<unknown>): Promise<readonly number[]> {
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
  return turns.sort((a, b) => b - a)
}

/** For how many milliseconds the work held the event loop at most, in one go. */
export const longestHold = async (run: () => Promise<unknown>): Promise<number> => (await turnsOf(run))[0] ?? 0

/** The longest turn but one in a hundred. */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  const turns = await turnsOf(run)
  return turns[Math.floor(turns.length * 0.01)] ?? 0
}
