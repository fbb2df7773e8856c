import { AppError } from '../../../core/errors.ts'
import type { SwitchFinding } from '../../../core/ports/switching.ts'
import type { Trunk } from '../../../core/switching/directory.ts'
import { gatewaysOf } from '../follow/pushes.ts'
import { PROBE } from '../lookups/lookup.ts'
import { LOOKUP_PATH } from '../lookups/mounts.ts'
import { gatewayOf, trunkOf } from '../names.ts'
import { recordsIn } from '../records-left.ts'
import { type EventSocket, type EventSocketPlace, openEventSocket } from '../socket/event-socket.ts'
import { found } from './found.ts'
import { impatience, openTakeovers, openTransfers } from './open-setup.ts'

/** What a check examines. */
export interface Findings {
  readonly place: EventSocketPlace
  /** Where mod_json_cdr leaves what it could not post; null if the settings do not say. */
  readonly cdrFolder: string | null
  readonly key: string
  /** The active trunks. */
  readonly trunks: readonly Trunk[]
  readonly ports: DaemonPorts
}

/** Where the daemon answers lookups. */
export interface DaemonPorts {
  readonly own: number
  /** The one that is for lookups alone; null if they have none, or any. */
  readonly lookups: number | null
}

/** Returns what is wrong with a FreeSWITCH, as far as it shows from outside. */
export async function findings(parts: Findings): Promise<readonly SwitchFinding[]> {
  const waiting = await recordsWaiting(parts.cdrFolder)
  let socket: EventSocket
  try {
    socket = await openEventSocket(parts.place)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [unreachable(error), ...waiting]
  }
  try {
    return [
      ...(await missingModules(socket)),
      ...(await stoppedProfiles(socket)),
      ...(await feedFindings(socket, parts)),
      ...(await stockUsers(socket)),
      ...(await openTransfers(socket)),
      ...(await openTakeovers(socket)),
      ...(await impatience(socket)),
      ...(await gatewayFindings(socket, parts)),
      ...(await tlsFindings(socket, parts)),
      ...waiting,
    ]
  } finally {
    socket.close()
  }
}

const unreachable = (error: AppError): SwitchFinding =>
  error.code === 'forbidden'
    ? found(
        'password',
        'error',
        'the event socket refuses the password of the settings',
        'set freeswitch.event_socket.password to the one in event_socket.conf of FreeSWITCH',
      )
    : found(
        'unreachable',
        'error',
        `${error.message.replace(/\.$/, '')}: suspensions and new secrets do not reach calls in progress and registered telephones`,
        'start FreeSWITCH, or set freeswitch.event_socket to where it listens',
      )

const MODULES: Readonly<Record<string, string>> = {
  mod_sofia: 'no telephone can register',
  mod_xml_curl: 'FreeSWITCH asks Trunkline nothing',
  mod_json_cdr: 'no call is billed',
  mod_callcenter: 'no queue takes calls',
  mod_voicemail: 'no voicemail is recorded',
}
const NEEDED = ['mod_sofia', 'mod_xml_curl', 'mod_json_cdr']

async function missingModules(socket: EventSocket): Promise<SwitchFinding[]> {
  const missing: SwitchFinding[] = []
  for (const [name, effect] of Object.entries(MODULES))
    if ((await socket.api(`module_exists ${name}`)).trim() !== 'true')
      missing.push(
        found(
          'module_missing',
          NEEDED.includes(name) ? 'error' : 'warning',
          `${name} is not loaded: ${effect}`,
          `fs_cli -x 'load ${name}', and name it in modules.conf of FreeSWITCH`,
        ),
      )
  return missing
}

const PROFILES: Readonly<Record<string, string>> = {
  internal: 'no telephone can register or call',
  external: 'no call goes to a carrier or comes from one',
}

/** A profile whose port is taken gives up after 15 s, and FreeSWITCH runs without it. */
async function stoppedProfiles(socket: EventSocket): Promise<SwitchFinding[]> {
  const stopped: SwitchFinding[] = []
  for (const [name, effect] of Object.entries(PROFILES))
    if ((await socket.api(`sofia status profile ${name}`)).startsWith('Invalid Profile'))
      stopped.push(
        found(
          'profile_stopped',
          'error',
          `the profile ${name} does not run: ${effect}`,
          `fs_cli -x 'sofia profile ${name} start'; if it stops again, another program has its port, or this machine lacks its address`,
        ),
      )
  return stopped
}

/** Makes FreeSWITCH request something that only Trunkline answers; checks where it asks, and that an answer comes. */
async function feedFindings(socket: EventSocket, { ports }: Findings): Promise<SwitchFinding[]> {
  const answer = await socket.api(`xml_locate configuration configuration name ${PROBE}`)
  const asked = portsAsked(await socket.api('xml_locate configuration configuration name xml_curl.conf'))
  const expected = ports.lookups ?? ports.own
  const isExpected = asked.length === 0 || asked.includes(expected)
  const change = `set the port in gateway-url of xml_curl.conf to ${expected}, then: fs_cli -x reloadxml && fs_cli -x 'reload mod_xml_curl'`
  if (!answer.includes(PROBE)) return [unanswered(isExpected ? null : { asked, expected, change })]
  if (isExpected || !asked.includes(ports.own)) return []
  return [
    found(
      'lookup_port',
      'warning',
      `FreeSWITCH asks at port ${ports.own}, where telephones wait for clients of the API; port ${expected} is for lookups alone`,
      change,
    ),
  ]
}

interface AskedElsewhere {
  readonly asked: readonly number[]
  readonly expected: number
  readonly change: string
}

const unanswered = (elsewhere: AskedElsewhere | null): SwitchFinding =>
  found(
    'feed_unanswered',
    'error',
    `FreeSWITCH gets no answer from Trunkline: no telephone registers and no call is connected${elsewhere ? `; it asks at port ${elsewhere.asked.join(' and ')}, and lookups are answered at ${elsewhere.expected}` : ''}`,
    elsewhere?.change ??
      'see that trunklined runs, and that in xml_curl.conf gateway-credentials has the token of the settings, and gateway-url the port freeswitch.lookup_port, or that of the daemon; the log of trunklined names the address if freeswitch.allow lacks it',
  )

/** Returns the ports that gateway-url of a configuration of mod_xml_curl names for lookups. */
function portsAsked(configuration: string): readonly number[] {
  const urls = [...configuration.matchAll(/<param name="gateway-url" value="([^"]*)"/g)].flatMap(([, url = '']) =>
    URL.canParse(url) ? [new URL(url)] : [],
  )
  return urls
    .filter(({ pathname }) => pathname === LOOKUP_PATH)
    .map(({ port, protocol }) => Number(port || (protocol === 'https:' ? 443 : 80)))
}

/** Checks for a user of the stock directory, whose password everybody knows. */
async function stockUsers(socket: EventSocket): Promise<SwitchFinding[]> {
  const domain = (await socket.api('global_getvar domain')).trim()
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(domain)) return []
  const exists = (await socket.api(`user_exists id 1000 ${domain}`)).trim()
  if (exists !== 'true') return []
  return [
    found(
      'stock_users',
      'error',
      `the user 1000@${domain} of the stock directory can register with a password that everybody knows`,
      'remove the folder directory from the configuration of FreeSWITCH, then run: fs_cli -x reloadxml',
    ),
  ]
}

async function gatewayFindings(socket: EventSocket, { trunks, key }: Findings): Promise<SwitchFinding[]> {
  const present = await gatewaysOf(command => socket.api(command))
  const up = new Set((await socket.api('sofia profile external gwlist')).split(/\s+/))
  const wanted = new Set(trunks.map(trunk => gatewayOf(trunk, key)))
  const left = present.filter(name => trunkOf(name) !== null && !wanted.has(name))
  const ofTrunks = trunks.flatMap(trunk => {
    const name = gatewayOf(trunk, key)
    const former = left.find(each => trunkOf(each) === trunk.name)
    if (!present.includes(name) && former !== undefined) return [gatewayChanged(trunk, former)]
    if (!present.includes(name))
      return [
        found(
          'gateway_missing',
          'error',
          `FreeSWITCH does not have the gateway ${name} of trunk ${trunk.name}: no call goes out through it`,
          "fs_cli -x 'sofia profile external rescan'",
        ),
      ]
    if (up.has(name)) return []
    return [
      found(
        'gateway_down',
        'warning',
        `the gateway ${name} is down: the carrier of trunk ${trunk.name} does not answer, or refuses its registration`,
        `fs_cli -x 'sofia status gateway ${name}'`,
      ),
    ]
  })
  const names = new Set(trunks.map(({ name }) => name))
  return [...ofTrunks, ...left.filter(name => !names.has(trunkOf(name) ?? '')).map(gatewayLeft)]
}

const gatewayChanged = (trunk: Trunk, former: string): SwitchFinding =>
  found(
    'gateway_changed',
    'error',
    `FreeSWITCH has trunk ${trunk.name} as it was before a change (gateway ${former}): no call goes out through it`,
    `trunkline switch status; if the daemon is connected: fs_cli -x 'sofia profile external killgw ${former}', then fs_cli -x 'sofia profile external rescan'`,
  )

const gatewayLeft = (name: string): SwitchFinding =>
  found(
    'gateway_left',
    'warning',
    `FreeSWITCH still has the gateway ${name}, whose trunk is inactive or deleted`,
    `fs_cli -x 'sofia profile external killgw ${name}'`,
  )

/** A profile without TLS sends nothing to a trunk with that transport. */
async function tlsFindings(socket: EventSocket, { trunks }: Findings): Promise<SwitchFinding[]> {
  const encrypted = trunks.filter(({ transport }) => transport === 'tls')
  if (encrypted.length === 0 || /^TLS-URL\s+\S/m.test(await socket.api('sofia status profile external'))) return []
  return encrypted.map(({ name }) =>
    found(
      'no_tls',
      'error',
      `trunk ${name} has the transport tls, and the profile external has no TLS: no call goes out through it`,
      `give the profile external a certificate (docs/switch-freeswitch.md), or: trunkline trunk update ${name} --transport tcp`,
    ),
  )
}

async function recordsWaiting(folder: string | null): Promise<SwitchFinding[]> {
  if (folder === null) return []
  const names = await recordsIn(folder)
  if (names === null)
    return [
      found(
        'cdr_folder',
        'error',
        `the folder ${folder} is not there, or cannot be read: calls whose records FreeSWITCH could not post are not billed`,
        `install -d -o freeswitch -g trunkline -m 2770 ${folder}; or set freeswitch.cdr_folder to err-log-dir of json_cdr.conf`,
      ),
    ]
  const waiting = names.length
  if (waiting === 0) return []
  return [
    found(
      'records_waiting',
      'warning',
      `${waiting} call ${waiting === 1 ? 'record waits' : 'records wait'} in ${folder}`,
      `start trunklined, which stores and removes them; if it runs, its log says why it cannot: install -d -o freeswitch -g trunkline -m 2770 ${folder} gives it the right to remove them`,
    ),
  ]
}
