import { addSeconds, formatTimestamp, type Timestamp } from '../../core/dates.ts'
import type { LiveCall, TelephoneSwitch } from '../../core/ports/switching.ts'
import type { Trunk } from '../../core/switching/directory.ts'
import { callsOf, channelsIn, registrationsIn, SHOW_CHANNELS, SHOW_REGISTRATIONS } from './channels.ts'
import { type EventSocket, type EventSocketPlace, openEventSocket } from './event-socket.ts'
import { findings } from './findings.ts'

/** How many calls are asked for the moment of their answer, which takes a command each. */
const MOST_ASKED = 1_000
const ID = /^[0-9a-f-]{1,64}$/i

/** What answers need of what is stored. */
export interface StoredTenants {
  /** By the domains of tenants. */
  readonly slugs: ReadonlyMap<string, string>
  /** The active ones. */
  readonly trunks: readonly Trunk[]
  /** When it was read. */
  readonly now: Timestamp
}

export interface FreeswitchParts {
  readonly place: EventSocketPlace
  /** Where mod_json_cdr leaves what it could not post; null where the settings do not say. */
  readonly cdrFolder: string | null
  /** What the marks of gateways are made with. */
  readonly key: string
  stored(): Promise<StoredTenants>
}

/** A FreeSWITCH that is asked over its event socket, on a connection for each question. */
export function freeswitch(parts: FreeswitchParts): TelephoneSwitch {
  const { place, stored } = parts
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
        const { slugs, now } = await stored()
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
    check: async () => findings({ ...parts, trunks: (await stored()).trunks }),
  }
}

/** The table of channels does not tell when a call was answered. */
async function answered(socket: EventSocket, call: LiveCall): Promise<LiveCall> {
  if (call.answeredAt === null) return call
  const dump = await socket.api(`uuid_dump ${call.id}`)
  const micros = /^Caller-Channel-Answered-Time: (\d{16})$/m.exec(dump)?.[1]
  if (micros === undefined) return call
  return { ...call, answeredAt: formatTimestamp(Number(micros.slice(0, 13)), Number(micros.slice(10))) }
}
