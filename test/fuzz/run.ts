import { startHere } from './here.ts'
import type { Kind } from './kind.ts'
import { commandLines } from './kinds/command-lines.ts'
import { encodings } from './kinds/encodings.ts'
import { feeds, makeFeeds } from './kinds/feeds.ts'
import { imports } from './kinds/imports.ts'
import { receiptsOf } from './kinds/receipts.ts'
import { requests } from './kinds/requests.ts'
import { meter } from './kinds/resources.ts'
import { startWorld } from './world.ts'

export interface FuzzOptions {
  /** In each of them every kind of input is played. */
  readonly rounds: number
  readonly seed: number
  /** The run ends here, even if rounds are left. */
  readonly maxSeconds: number
  /** How many of a kind's inputs a round plays: 1 means its usual number. */
  readonly share?: number
  readonly print: (line: string) => void
}

export interface FuzzResult {
  readonly rounds: number
  readonly inputs: number
  /** What was wrong, with the input that revealed it. */
  readonly problems: readonly string[]
  /** How many requests were answered with each status. */
  readonly statuses: Readonly<Record<string, number>>
}

const TENANT = {
  ...{ name: 'Acme', slug: 'acme', domain: 'acme.example', status: 'active' },
  ...{ timezone: 'UTC', max_extensions: 100 },
}

/** Enough mistakes to stop. */
const MANY = 20

/** Plays inputs of every kind, generated from the seed, and checks the answers and the use of resources. */
export async function fuzz({ rounds, seed, maxSeconds, share = 1, print }: FuzzOptions): Promise<FuzzResult> {
  const deadline = performance.now() + maxSeconds * 1000
  const here = await startHere()
  const world = await startWorld(makeFeeds)
  const measured = meter()
  const problems: string[] = []
  let [round, inputs] = [0, 0]
  try {
    await world.post('/api/tenants', TENANT)
    const made = requests(world)
    const lines = await commandLines(here)
    const kinds: readonly Kind[] = [
      ...[made, encodings(world), receiptsOf(world), feeds(world)],
      ...[imports(here, world.document), lines],
    ]
    for (; round < rounds && problems.length < MANY && performance.now() < deadline; round++)
      for (const kind of kinds) {
        const count = Math.ceil(kind.count * share)
        problems.push(...(await measured.play(kind, seed + round, count)))
        inputs += count
        print(measured.last())
        if (!world.daemon.isAlive()) throw new Error(['the daemon died', ...problems].join('\n'))
      }
    return { rounds: round, inputs, problems: [...problems, ...world.daemon.errors], statuses: made.statuses }
  } finally {
    await world.close()
    here.place.remove()
  }
}
