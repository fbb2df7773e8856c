import { readFileSync } from 'node:fs'
import { type FeedParts, xmlFeed } from '../adapters/freeswitch/feed.ts'
import { freeswitchFollower } from '../adapters/freeswitch/follower.ts'
import { liveCalls } from '../adapters/freeswitch/live-calls.ts'
import { freeswitchMounts } from '../adapters/freeswitch/mounts.ts'
import { freeswitch, type StoredTenants } from '../adapters/freeswitch/switch.ts'
import { trunkAddresses } from '../adapters/freeswitch/trunk-addresses.ts'
import { activeTrunks } from '../adapters/freeswitch/trunks.ts'
import { readRecord } from '../adapters/pbx/records.ts'
import type { FreeswitchSetting } from '../config/freeswitch.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../core/errors.ts'
import type { Feed } from '../core/ports/calls.ts'
import type { SwitchDirectory, TelephoneSwitch } from '../core/ports/switching.ts'
import { compose } from './compose.ts'
import { rulesOf } from './feeds.ts'
import type { Served, Serving } from './serving.ts'

const LOOPBACK = ['127.0.0.0/8', '::1']

interface Resolved {
  readonly token: string
  readonly place: { readonly host: string; readonly port: number; readonly password: string }
  readonly cdrFolder: string | null
  readonly allowed: readonly string[]
}

/** The setting with the secrets that stand in files. Throws `configuration`. */
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

/** For one who asks it something. The database is opened where an answer needs it. */
export function freeswitchOf(settings: Settings): TelephoneSwitch | null {
  if (settings.freeswitch === null) return null
  const { place, cdrFolder, token: key } = resolved(settings.freeswitch)
  const stored = async (): Promise<StoredTenants> => {
    const { storage, clock, close } = compose(settings, () => '', { create: false, migrate: false, foldsLog: false })
    try {
      return { ...(await tenantsIn(storage.switchDirectory())), now: clock.now() }
    } finally {
      await close()
    }
  }
  return freeswitch({ place, cdrFolder, key, stored })
}

async function tenantsIn(directory: SwitchDirectory): Promise<Omit<StoredTenants, 'now'>> {
  const slugs = new Map<string, string>()
  let trunks: StoredTenants['trunks'] = []
  for await (const each of directory.all()) {
    slugs.set(each.tenant.domain, each.tenant.slug)
    trunks = activeTrunks(each)
  }
  return { slugs, trunks }
}

/** For the daemon: what FreeSWITCH asks, the records that it hands over, and what is sent to it. */
export function serveFreeswitch(settings: Settings, serving: Serving): Served | null {
  if (settings.freeswitch === null) return null
  const { token, place, cdrFolder, allowed } = resolved(settings.freeswitch)
  const { directory, clock, log, calls } = serving
  const now = (): number => performance.now()
  const live = liveCalls(now)
  const counted = counters(serving.metrics)
  const feed: Feed = { name: cdrFolder ?? 'freeswitch', rules: rulesOf({}) }
  const answer = xmlFeed({
    ...{ directory, live, clock, key: token, addresses: trunkAddresses() },
    onDecision: deciding(serving, counted.decided),
  })
  const mounts = freeswitchMounts({
    ...{ token, allowed, answer },
    store: async record => {
      const { quarantined } = await calls.store(feed, [readRecord('freeswitch-json', record)], null)
      counted.stored({ way: 'posted' })
      if (quarantined > 0) log.warn({ feed: feed.name, quarantined }, 'see: trunkline cdr quarantine list')
    },
    onRefused: (why, address) => {
      counted.decided({ what: 'request', refusal: why })
      log.warn({ why, address }, 'a request of FreeSWITCH was refused')
    },
    onFailure: err => log.error({ err }, 'a request of FreeSWITCH could not be answered'),
  })
  const follower = freeswitchFollower({
    ...{ place, directory, live, key: token, now },
    onTrouble: onceEach(err => log.error({ err }, 'FreeSWITCH cannot be told of changes; it is tried again')),
    onRefused: (command, said) => {
      counted.failed({})
      log.warn({ command, answer: said.slice(0, 200) }, 'FreeSWITCH refuses a command')
    },
  })
  return { follower, mounts, folder: cdrFolder }
}

const counters = ({ counter }: Serving['metrics']) => ({
  decided: counter(
    'trunkline_switch_decisions_total',
    'What a switch asked: registrations, proofs and calls by the reason of their refusal, or none; requests refused',
    ['what', 'refusal'],
  ),
  stored: counter('trunkline_switch_records_total', 'Call records that a switch has handed over', ['way']),
  failed: counter('trunkline_switch_pushes_failed_total', 'Commands that a switch has refused', []),
})

/** Counts and logs what is decided, and tells of limits. */
const deciding =
  ({ log, metrics, onLimit }: Serving, count: ReturnType<typeof counters>['decided']): FeedParts['onDecision'] =>
  (decided, directory) => {
    const { what, refusal } = decided
    count({ what, refusal: refusal?.refusal ?? 'none' })
    if (!refusal) return
    if (what === 'call') metrics.callRefused(refusal.refusal)
    log.info({ what, refusal: refusal.refusal, reason: refusal.reason }, 'refused on the switch')
    const last = decided.what === 'call' && refusal.refusal === 'limit reached' ? decided.steps.at(-1) : undefined
    if (directory && last?.kind === 'limit') onLimit(directory, last)
  }

/** Reports an error that is tried again once, until there is another. */
function onceEach(tell: (error: unknown) => void): (error: unknown) => void {
  let told = ''
  return error => {
    const said = String(error)
    if (said !== told) tell(error)
    told = said
  }
}
