import type { Follower } from '../../adapters/pbx/pbx.ts'
import type { Settings } from '../../config/settings.ts'
import type { TelephoneSwitch } from '../../core/ports/switching.ts'
import type { Surroundings } from '../../core/ports/upkeep.ts'
import { switchesOf } from '../switches.ts'
import { lastBackupAt } from './backups.ts'

/** A switch is asked no more often, however many clients look. */
const FRESH_MS = 15_000

/** What the daemon knows of the service besides its database. */
export function surroundingsOf(settings: Settings, feeds: () => readonly Follower[]): Surroundings {
  const { backup_every, backup_dir } = settings
  return {
    feeds: () =>
      feeds().map(feed => {
        const { name, lag } = feed.state()
        return { name, lag }
      }),
    phones: phonesOf(switchesOf(settings)),
    newestBackup: () => {
      const seconds = backup_every > 0 ? lastBackupAt(backup_dir) : 0
      return seconds === 0 ? null : new Date(seconds * 1000).toISOString().replace('Z', '000Z')
    },
  }
}

/** Nothing waits for a switch: the number is its latest answer. */
function phonesOf(switches: readonly TelephoneSwitch[]): Surroundings['phones'] {
  let latest: number | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  const ask = async (): Promise<void> => {
    const all = await Promise.all(switches.map(each => each.phones()))
    latest = all.reduce((sum, phones) => sum + phones.length, 0)
  }
  return async () => {
    if (switches.length > 0 && performance.now() - askedAt >= FRESH_MS) {
      askedAt = performance.now()
      ask().catch(() => {
        latest = null
      })
    }
    return latest
  }
}
