import { readFileSync } from 'node:fs'
import { type FreeswitchService, freeswitch } from '../adapters/freeswitch/freeswitch.ts'
import { pbx } from '../adapters/pbx/pbx.ts'
import { system } from '../adapters/system/system.ts'
import type { FreeswitchSetting } from '../config/freeswitch.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../core/errors.ts'
import type { Feed } from '../core/ports/calls.ts'
import type { TelephoneSwitch } from '../core/ports/switching.ts'
import { rulesOf } from './feeds.ts'
import { type Served, type Serving, storedFor, switchName } from './serving.ts'

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
    token: token ?? secretIn('token_file', token_file),
    place: { host, port, password: password ?? secretIn('event_socket.password_file', password_file) },
    cdrFolder: cdr_folder ?? null,
    allowed: allow,
  }
}

function secretIn(member: string, path: string | undefined): string {
  const missing = `freeswitch.${member} names no file that holds a secret`
  if (path === undefined)
    throw new AppError('configuration', `${missing}, and the secret is not in the settings either.`)
  const secret = read(path)
  if (secret === null || !/^[\x21-\x7e]+$/.test(secret))
    throw new AppError('configuration', `${missing}: ${path} cannot be read, or is not one line of text.`)
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
  return freeswitch.ask({
    ...{ place, cdrFolder, key, clock: system.clock() },
    stored: read => storedFor(settings)(({ switchDirectory }) => read(switchDirectory())),
  })
}

/** Serves FreeSWITCH from the daemon: its requests, its call records, and the commands to it. */
export function serveFreeswitch(settings: Settings, serving: Serving): Served | null {
  if (settings.freeswitch === null) return null
  const { token, place, cdrFolder, allowed } = resolved(settings.freeswitch)
  const { directory, clock, log, calls, decided } = serving
  const { stored, failed } = counters(serving.metrics)
  const feed: Feed = { name: cdrFolder ?? 'freeswitch', rules: rulesOf({}) }
  const served = freeswitch.serve({
    ...{ token, place, allowed, directory, clock },
    onDecision: deciding(serving),
    store: async record => {
      const { quarantined } = await calls.store(feed, [pbx.readRecord('freeswitch-json', record)], null)
      stored({ way: 'posted' })
      if (quarantined > 0) log.warn({ feed: feed.name, quarantined }, 'see: trunkline cdr quarantine list')
    },
    onRefused: (why, address) => {
      decided({ what: 'request', refusal: why })
      log.warn({ why, address }, 'a request of FreeSWITCH was refused')
    },
    onFailure: err => log.error({ err }, 'a request of FreeSWITCH could not be answered'),
    onTrouble: oncePerError(err => log.error({ err }, 'the event socket of FreeSWITCH is not connected; retrying')),
    onCommandRefused: (command, answer) => {
      failed({})
      log.warn({ command, answer: answer.slice(0, 200) }, 'FreeSWITCH refuses a command')
    },
  })
  return { ...served, name: switchName('freeswitch', place), folder: cdrFolder }
}

const counters = ({ counter }: Serving['metrics']) => ({
  stored: counter('trunkline_switch_records_total', 'Call records that a switch has delivered', ['way']),
  failed: counter('trunkline_switch_pushes_failed_total', 'Commands that a switch has refused', []),
})

/** Counts and logs decisions, and notes the limits that refuse calls. */
const deciding =
  ({ log, onLimit, decided: count }: Serving): FreeswitchService['onDecision'] =>
  (decided, directory) => {
    const { what, refusal } = decided
    count({ what, refusal: refusal?.refusal ?? 'none' })
    if (!refusal) return
    log.info({ what, refusal: refusal.refusal, reason: refusal.reason }, 'refused on the switch')
    const last = decided.what === 'call' && refusal.refusal === 'limit reached' ? decided.steps.at(-1) : undefined
    if (directory && last?.kind === 'limit') onLimit(directory, last)
  }

/** Reports a repeated error only once, until a different one occurs. */
function oncePerError(report: (error: unknown) => void): (error: unknown) => void {
  let last = ''
  return error => {
    const text = String(error)
    if (text !== last) report(error)
    last = text
  }
}
