import { addSeconds, formatTimestamp } from '../../../core/dates.ts'
import type { LiveCall, SwitchDirectory, TelephoneSwitch } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Trunk } from '../../../core/switching/directory.ts'
import { recordsIn } from '../records-left.ts'
import { callsOf, channelsIn, registrationsIn, SHOW_CHANNELS, SHOW_REGISTRATIONS } from '../socket/channels.ts'
import { type EventSocket, type EventSocketPlace, openEventSocket } from '../socket/event-socket.ts'
import { activeTrunks } from '../trunks.ts'
import { type DaemonPorts, findings } from './findings.ts'
import { renderedParts } from './rendered-parts.ts'

/** The most calls to ask for the time of their answer, which takes a command each. */
const MOST_ASKED = 1_000
const ID = /^[0-9a-f-]{1,64}$/i

/** The stored data that answers need. */
interface StoredTenants {
  /** By the tenants' domains. */
  readonly slugs: ReadonlyMap<string, string>
  /** The active trunks. */
  readonly trunks: readonly Trunk[]
}

export interface FreeswitchParts {
  readonly place: EventSocketPlace
  /** Where mod_json_cdr leaves what it could not post; null if the settings do not say. */
  readonly cdrFolder: string | null
  readonly ports: DaemonPorts
  /** The key of the gateways' marks. */
  readonly key: string
  readonly clock: Clock
  /** Opens the storage if an answer needs it, and closes it after `read`. */
  stored<T>(read: (directory: SwitchDirectory) => Promise<T>): Promise<T>
}

/** A FreeSWITCH that is queried over its event socket, on a new connection each time. */
export function freeswitchSwitch(parts: FreeswitchParts): TelephoneSwitch {
  const { place, clock, stored } = parts
  const connected = async <T>(ask: (socket: EventSocket) => Promise<T>): Promise<T> => {
    const socket = await openEventSocket(place)
    try {
      return await ask(socket)
    } finally {
      socket.close()
    }
  }
  return {
    kind: 'freeswitch',
    phones: () =>
      connected(async socket => {
        const registrations = registrationsIn(await socket.api(SHOW_REGISTRATIONS))
        const now = clock.now()
        const { slugs } = await stored(tenantsIn)
        return registrations.map(({ user, domain, address, agent, expiresIn }) => ({
          ...{ tenant: slugs.get(domain) ?? null, extension: user, address, agent },
          expiresAt: expiresIn === null ? null : addSeconds(now, expiresIn),
        }))
      }),
    calls: () =>
      connected(async socket => {
        const calls = callsOf(channelsIn(await socket.api(SHOW_CHANNELS)))
        return Promise.all(calls.map((call, index) => (index < MOST_ASKED ? answered(socket, call) : call)))
      }),
    end: id =>
      connected(async socket =>
        ID.test(id) ? (await socket.api(`uuid_kill ${id} NORMAL_CLEARING`)).startsWith('+OK') : false,
      ),
    check: async () => findings({ ...parts, trunks: (await stored(tenantsIn)).trunks }),
    render: (request, hasSecrets) =>
      stored(directory => renderedParts({ directory, clock, key: parts.key }, request, hasSecrets)),
    recordsWaiting: async () =>
      parts.cdrFolder === null ? null : ((await recordsIn(parts.cdrFolder))?.length ?? null),
  }
}

async function tenantsIn(directory: SwitchDirectory): Promise<StoredTenants> {
  const slugs = new Map<string, string>()
  let trunks: StoredTenants['trunks'] = []
  for await (const each of directory.all()) {
    slugs.set(each.tenant.domain, each.tenant.slug)
    trunks = activeTrunks(each)
  }
  return { slugs, trunks }
}

/** The table of channels does not tell when a call was answered. */
async function answered(socket: EventSocket, call: LiveCall): Promise<LiveCall> {
  if (call.answeredAt === null) return call
  const dump = await socket.api(`uuid_dump ${call.id}`)
  const micros = /^Caller-Channel-Answered-Time: (\d{16})$/m.exec(dump)?.[1]
  if (micros === undefined) return call
  return { ...call, answeredAt: formatTimestamp(Number(micros.slice(0, 13)), Number(micros.slice(10))) }
}
