import { readFileSync } from 'node:fs'
import { asterisk } from '../adapters/asterisk/asterisk.ts'
import { tableForSwitch } from '../adapters/sqlite/storage.ts'
import { system } from '../adapters/system/system.ts'
import type { AsteriskSetting } from '../config/asterisk.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../core/errors.ts'
import type { TelephoneSwitch } from '../core/ports/switching.ts'
import { limitedIn } from '../core/use-cases/calls/limit-watch.ts'
import { type Served, type Serving, storedFor, switchName } from './serving.ts'

type ManagerPlace = Parameters<typeof asterisk.ask>[0]['place']

/** The Asterisk in the settings. */
export function asteriskOf(settings: Settings): TelephoneSwitch | null {
  const { asterisk: setting } = settings
  if (!setting) return null
  const { dir: folder, telephones_db: path } = setting
  const table = path === undefined ? null : tableForSwitch.stored(path, asterisk.table)
  const stored = storedFor(settings)
  return asterisk.ask({
    ...{ folder, place: placeOf(setting), table, clock: system.clock() },
    stored: read =>
      stored(({ switchDirectory, limitUsage: usage, ratedPrefixes: rates }) =>
        read({ directory: switchDirectory(), used: ({ tenant }) => usage.of(tenant), rates }),
      ),
  })
}

/** Keeps Asterisk in line with the database. */
export function serveAsterisk({ asterisk: setting }: Settings, serving: Serving): Served | null {
  if (!setting) return null
  const { directory, usage, rates, calls, clock, log, decided, onLimit } = serving
  const place = placeOf(setting)
  const path = setting.telephones_db
  const table = path === undefined ? null : tableForSwitch.at(path, asterisk.table)
  const follower = asterisk.follow({
    ...{ folder: setting.dir, place, table, directory, usage, rates, calls, clock },
    now: () => performance.now(),
    onTrouble: error => log.error({ err: error, switch: 'asterisk' }, 'Asterisk is not up to date'),
    onTaken: (file, ms) => log.info({ file: `${file}.conf`, ms: Math.round(ms) }, 'Asterisk has loaded a file'),
    onRefused: ({ refusal, ...call }, reached) => {
      decided({ what: 'call', refusal })
      log.info({ what: 'call', refusal, ...call }, 'refused on the switch')
      if (reached) onLimit(limitedIn(reached.directory, reached.use.of), reached.use)
    },
    onLeftOut: leftOut => {
      if (leftOut.length === 0) return
      const summary = { leftOut: leftOut.slice(0, MOST_TOLD), of: leftOut.length }
      log.warn(summary, 'some records cannot be on Asterisk')
    },
  })
  return { follower, name: switchName('asterisk', place), mounts: [], folder: null, close: async () => table?.close() }
}

const MOST_TOLD = 20

function placeOf({ manager = {} }: AsteriskSetting): ManagerPlace {
  const { host = '127.0.0.1', port = 5038, user = 'trunkline', password, password_file: file } = manager
  return { host, port, user, password: password ?? (file === undefined ? '' : firstLineOf(file)) }
}

function firstLineOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').split('\n')[0]?.trim() ?? ''
  } catch (cause) {
    throw new AppError('configuration', `asterisk.manager.password_file: ${path} cannot be read.`, { cause })
  }
}
