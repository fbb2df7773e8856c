import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTimestamp, type Timestamp } from '../../core/dates.ts'
import { AppError } from '../../core/errors.ts'
import type { LiveCall, Phone, SwitchFinding, TelephoneSwitch } from '../../core/ports/switching.ts'
import type { Clock } from '../../core/ports/system.ts'
import { callsOf, channelsIn } from './channels.ts'
import { type Manager, type ManagerPlace, openManager } from './manager.ts'
import { type ManagerMessage, valueIn } from './manager-messages.ts'
import { isShown, MODULES, markerIn } from './marked.ts'
import { FILES } from './render/files.ts'
import { REALM } from './render/pjsip.ts'
import { isUsable } from './render/routes.ts'
import { renderedParts } from './rendered-parts.ts'
import { NEEDED_MODULES } from './setup.ts'
import type { SourceParts } from './source.ts'

export interface AsteriskParts {
  readonly folder: string
  readonly place: ManagerPlace
  readonly clock: Clock
  /** Opens the storage if an answer needs it, and closes it after `read`. */
  stored<T>(read: (parts: SourceParts) => Promise<T>): Promise<T>
}

/** The most calls to ask for the time of their answer, which takes a query each. */
const MOST_ASKED = 1_000

/** An Asterisk that is queried over its manager interface, on a new connection each time. */
export function asteriskSwitch({ folder, place, clock, stored }: AsteriskParts): TelephoneSwitch {
  const connected = async <T>(ask: (manager: Manager) => Promise<T>): Promise<T> => {
    const manager = await openManager(place)
    try {
      return await ask(manager)
    } finally {
      manager.close()
    }
  }
  return {
    kind: 'asterisk',
    phones: () =>
      connected(async manager =>
        (await manager.list({ Action: 'PJSIPShowContacts' })).flatMap(event => phoneOf(event)),
      ),
    calls: () =>
      connected(async manager => {
        const channels = channelsIn(await manager.list({ Action: 'CoreShowChannels' }))
        const calls = callsOf(channels, clock.now())
        const nameOf = new Map(channels.map(({ uniqueId, name }) => [uniqueId, name]))
        return Promise.all(
          calls.map((call, index) => (index < MOST_ASKED ? answered(manager, call, nameOf.get(call.id)) : call)),
        )
      }),
    end: id =>
      connected(async manager => {
        const channels = channelsIn(await manager.list({ Action: 'CoreShowChannels' }))
        const found = channels.filter(({ linkedId }) => linkedId === id)
        for (const { name } of found) await manager.ask({ Action: 'Hangup', Channel: name, Cause: '16' })
        return found.length > 0
      }),
    check: async () => [...(await findings(folder, connected)), ...(await tlsFindings(stored, connected))],
    render: (request, hasSecrets) => stored(parts => renderedParts(parts, request, hasSecrets)),
    recordsWaiting: async () => null,
  }
}

function phoneOf(event: ManagerMessage): Phone[] {
  const [aor = ''] = valueIn(event, 'objectname').split(/[;@]/)
  const [, tenant, extension] = /^([A-Za-z0-9][A-Za-z0-9_.-]*)-([0-9*#+]+)$/.exec(aor) ?? []
  if (tenant === undefined || extension === undefined) return []
  const expires = Number(valueIn(event, 'expirationtime') || valueIn(event, 'regexpire'))
  const uri = valueIn(event, 'uri')
  return [
    {
      tenant,
      extension,
      address: /@([^;>]+)/.exec(uri)?.[1] ?? uri,
      agent: valueIn(event, 'useragent') || null,
      expiresAt: expires > 0 ? formatTimestamp(expires * 1000, 0) : null,
    },
  ]
}

async function answered(manager: Manager, call: LiveCall, channel: string | undefined): Promise<LiveCall> {
  if (call.answeredAt === null || channel === undefined) return call
  const answer = await manager.ask({ Action: 'Getvar', Channel: channel, Variable: 'CDR(answer,u)' })
  const seconds = Number(valueIn(answer, 'value'))
  const at: Timestamp | null = seconds > 0 ? formatTimestamp(Math.floor(seconds * 1000), 0) : call.answeredAt
  return { ...call, answeredAt: at }
}

type Connected = <T>(ask: (manager: Manager) => Promise<T>) => Promise<T>

async function findings(folder: string, connected: Connected): Promise<SwitchFinding[]> {
  const found: SwitchFinding[] = []
  const error = (code: string, finding: string, fix: string | null): unknown =>
    found.push({ code, severity: 'error', finding, fix })
  if (!(await isWritable(folder)))
    error(
      'asterisk_folder',
      `The folder ${folder} of Asterisk's files is not there, or cannot be written`,
      `install -d -m 2750 -o ${process.env['USER'] ?? 'trunkline'} -g asterisk ${folder}`,
    )
  try {
    found.push(...(await connected(manager => loaded(manager, folder))))
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    error('asterisk_manager', cause.message.replace(/\.$/, ''), 'trunkline switch setup asterisk --help')
  }
  return found
}

/** A trunk with a transport that Asterisk does not have is called by none. */
async function tlsFindings(stored: AsteriskParts['stored'], connected: Connected): Promise<SwitchFinding[]> {
  const names = await stored(async ({ directory }) => {
    for await (const { trunks } of directory.all())
      return [...trunks.values()].filter(each => isUsable(each) && each.transport === 'tls').map(({ name }) => name)
    return []
  })
  if (names.length === 0) return []
  const shown = await connected(manager => manager.command('pjsip show transport tls')).catch(() => null)
  if (shown === null || /\bParameterName\b/.test(shown)) return []
  return names.map(name => ({
    code: 'asterisk_no_tls',
    severity: 'error',
    finding: `Trunk ${name} has the transport tls, and Asterisk has no transport of that name: no call goes out through it`,
    fix: `add the transport [tls] to pjsip.conf and restart Asterisk, or: trunkline trunk update ${name} --transport tcp`,
  }))
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** Returns what is wrong with what the switch has loaded. */
async function loaded(manager: Manager, folder: string): Promise<SwitchFinding[]> {
  const found: SwitchFinding[] = []
  const warn = (code: string, severity: SwitchFinding['severity'], finding: string, fix: string | null): unknown =>
    found.push({ code, severity, finding, fix })
  for (const name of FILES) {
    const text = await readFile(join(folder, `${name}.conf`), 'utf8').catch(() => null)
    const marker = text === null ? null : markerIn(text)
    if (marker === null)
      warn('asterisk_not_written', 'warning', `${name}.conf has not been written yet`, 'systemctl status trunklined')
    else if (!isShown(await manager.command(MODULES[name].show(marker)), marker))
      warn(
        'asterisk_not_loaded',
        'error',
        `Asterisk has not loaded ${join(folder, `${name}.conf`)}: its own ${name}.conf must have the line #tryinclude ${join(folder, `${name}.conf`)}`,
        `asterisk -rx "module reload ${MODULES[name].module}"`,
      )
  }
  const modules = await manager.command('module show')
  const missing = NEEDED_MODULES.filter(name => !modules.includes(`${name}.so`))
  if (missing.length > 0)
    warn(
      'asterisk_modules',
      'error',
      `Asterisk runs without modules that calls need: ${missing.join(', ')}`,
      `asterisk -rx "module load ${missing[0]}.so"`,
    )
  const realm = /default_realm\s*: (\S+)/.exec(await manager.command('pjsip show settings'))?.[1]
  if (realm !== undefined && realm !== REALM)
    warn(
      'asterisk_realm',
      'error',
      `default_realm is ${realm}, and telephones' secrets are hashed with ${REALM}: none can register`,
      `set default_realm = ${REALM} in the global section of pjsip.conf`,
    )
  return found
}
