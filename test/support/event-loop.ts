/**
 * The turns of the event loop while something runs, in milliseconds of processor time, longest first: other work of
 * the machine does not count.
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

/** The longest time in milliseconds for which the work held the event loop. */
export const longestHold = async (run: () => Promise<unknown>): Promise<number> => (await turnsOf(run))[0] ?? 0

/** The longest turn but one in a hundred. */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  const turns = await turnsOf(run)
  return turns[Math.floor(turns.length * 0.01)] ?? 0
}
