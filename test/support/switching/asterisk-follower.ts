import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asteriskFollower, type FollowerParts } from '../../../adapters/asterisk/follower.ts'
import type { FileName } from '../../../adapters/asterisk/render/files.ts'
import type { Changed, SwitchFollower } from '../../../core/ports/switching.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { manualClock } from '../clock.ts'
import { type HeldManager, heldManager, type ModelSwitch, modelSwitch, PASSWORD } from './manager.ts'

/** A simulated Asterisk with a folder of its own, and the follower that a test starts. */
export interface FollowedAsterisk {
  readonly folder: string
  readonly model: ModelSwitch
  manager: HeldManager
  readonly troubles: unknown[]
  readonly taken: FileName[]
  readonly refused: unknown[][]
  readonly left: unknown[][]
  /** What is due, 'all' once for each connection. */
  readonly due: Changed[]
  /** The modules that were reloaded. */
  reloads(): string[]
  start(given: Pick<FollowerParts, 'directory'> & Partial<FollowerParts>): SwitchFollower
  end(): Promise<void>
}

export async function followedAsterisk(): Promise<FollowedAsterisk> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-follower-'))
  const model = modelSwitch(folder)
  const ending = new AbortController()
  let running: Promise<void> | null = null
  const followed: FollowedAsterisk = {
    ...{ folder, model, troubles: [], taken: [], refused: [], left: [], due: [] },
    manager: await heldManager(model.answer),
    reloads: () => model.asked.flatMap(({ Action, Module }) => (Action === 'Reload' ? [Module ?? ''] : [])),
    start: given => {
      const { troubles, taken, refused, left, due, manager } = followed
      const follower = asteriskFollower({
        ...{ folder, table: null, now: () => performance.now(), clock: manualClock() },
        place: { host: '127.0.0.1', port: manager.port, user: 'trunkline', password: PASSWORD },
        usage: {
          of: async () => ({ tenant: NOTHING_USED, extension: () => NOTHING_USED, extensions: () => new Set() }),
          stored: async () => new Set(),
        },
        rates: { of: async () => [] },
        calls: { catalog: () => Promise.reject(new Error('no limit is on cost')) },
        onTrouble: error => troubles.push(error),
        onTaken: name => taken.push(name),
        onRefused: (call, reached) => refused.push([call, reached]),
        onLeftOut: all => left.push([...all]),
        ...given,
      })
      running = follower.run(changed => due.push(changed), ending.signal)
      return follower
    },
    end: async () => {
      ending.abort()
      await running
      await followed.manager.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return followed
}
