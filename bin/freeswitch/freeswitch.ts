import { readFileSync } from 'node:fs'
import { freeswitch } from '../../adapters/freeswitch/freeswitch.ts'
import { pbx } from '../../adapters/pbx/pbx.ts'
import { system } from '../../adapters/system/system.ts'
import type { FreeswitchSetting } from '../../config/freeswitch.ts'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../core/errors.ts'
import type { Feed } from '../../core/ports/calls.ts'
import type { TelephoneSwitch } from '../../core/ports/switching.ts'
import { rulesOf } from '../feeds.ts'
import { type Served, type Serving, storedFor, switchName } from '../serving.ts'
import { locationIn } from '../threaded.ts'
import { lookupPlace, lookupsOnThread } from './lookups-on-thread.ts'
import { noteRequests } from './requests.ts'

const LOOPBACK = ['127.0.0.0/8', '::1']

interface Resolved {
  readonly token: string
  readonly place: { readonly host: string; readonly port: number; readonly password: string }
  readonly cdrFolder: string | null
  readonly allowed: readonly string[]
}

/** Returns the setting with the secrets read from their files. Throws `configuration`. */
function resolved({ token, token_file, event_socket = {}, cdr_folder, allow = LOOPBACK }: FreeswitchSetting): Resolved {
  const { host = '127.0.0.1', port = 8021, password, password_file } = event_socket
  return {
    token: token ?? secretIn('token', token_file, 'gateway-credentials of xml_curl.conf'),
    place: { host, port, password: password ?? passwordIn(password_file) },
    cdrFolder: cdr_folder ?? null,
    allowed: allow,
  }
}

const passwordIn = (path: string | undefined): string => secretIn('event_socket.password', path, 'event_socket.conf')

/** `whereSet` is the place in FreeSWITCH's configuration that has the secret. */
function secretIn(member: string, path: string | undefined, whereSet: string): string {
  const inFile = `freeswitch.${member}_file`
  if (path === undefined)
    throw new AppError(
      'configuration',
      `freeswitch.${member} is missing: copy it from ${whereSet}, or name a file that holds it as ${inFile}.`,
    )
  const secret = read(path)
  if (secret === null || !/^[\x21-\x7e]+$/.test(secret))
    throw new AppError(
      'configuration',
      `${inFile} names no file that holds a secret: ${path} cannot be read, or is not one line of text.`,
    )
  return secret
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}

/** Returns the FreeSWITCH in the settings, for a program that queries it. */
export function freeswitchOf(settings: Settings): TelephoneSwitch | null {
  if (settings.freeswitch === null) return null
  const { place, cdrFolder, token: key } = resolved(settings.freeswitch)
  const ports = { own: settings.port, lookups: settings.freeswitch.lookup_port ?? null }
  return freeswitch.ask({
    ...{ place, cdrFolder, ports, key, clock: system.clock() },
    stored: read => storedFor(settings)(({ switchDirectory }) => read(switchDirectory())),
  })
}

/**
 * Serves FreeSWITCH from the daemon: its requests, its call records, and the commands to it. A thread answers all its
 * lookups, at a port of its own and for requests to the daemon's, so that they wait for nobody else's.
 */
export async function serveFreeswitch(settings: Settings, serving: Serving): Promise<Served | null> {
  if (settings.freeswitch === null) return null
  const { token, place, cdrFolder, allowed } = resolved(settings.freeswitch)
  const { directory, log } = serving
  const { log_level } = settings
  const started = {
    token,
    allowed,
    cdrFolder,
    log_level,
    listens: lookupPlace(settings),
    located: locationIn(settings),
  }
  const lookups = await lookupsOnThread(started, serving)
  if (lookups.url !== null) log.info(`lookups of FreeSWITCH at ${lookups.url}`)
  const requests = { token, allowed, ...noteRequests(serving) }
  return {
    mounts: [
      freeswitch.mounts.lookup(requests, lookups.answer),
      freeswitch.mounts.record(requests, storing(serving, cdrFolder)),
    ],
    follower: freeswitch.follow({ ...{ place, directory, lookups, key: token }, ...noteCommands(serving) }),
    name: switchName('freeswitch', place),
    folder: cdrFolder,
    close: lookups.close,
  }
}

/** Stores posted call records. */
function storing({ calls, log, metrics }: Serving, cdrFolder: string | null): (record: string) => Promise<void> {
  const stored = metrics.counter('trunkline_switch_records_total', 'Call records that a switch has delivered', ['way'])
  const feed: Feed = { name: cdrFolder ?? 'freeswitch', rules: rulesOf({}) }
  return async record => {
    const { quarantined } = await calls.store(feed, [pbx.readRecord('freeswitch-json', record)], null)
    stored({ way: 'posted' })
    if (quarantined > 0) log.warn({ feed: feed.name, quarantined }, 'see: trunkline cdr quarantine list')
  }
}

type Following = Parameters<typeof freeswitch.follow>[0]

/** Counts and logs commands that FreeSWITCH refuses, and logs when it is away. */
function noteCommands({ log, metrics }: Serving): Pick<Following, 'onTrouble' | 'onCommandRefused'> {
  const failed = metrics.counter('trunkline_switch_pushes_failed_total', 'Commands that a switch has refused', [])
  return {
    onTrouble: err => log.error({ err }, 'the event socket of FreeSWITCH is not connected; retrying'),
    onCommandRefused: (command, answer) => {
      failed({})
      log.warn({ command, answer: answer.slice(0, 200) }, 'FreeSWITCH refuses a command')
    },
  }
}
