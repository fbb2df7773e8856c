import { addSeconds, formatTimestamp } from '../../core/dates.ts'
import type { LiveCall, Phone, TelephoneSwitch } from '../../core/ports/switching.ts'
import type { Clock } from '../../core/ports/system.ts'
import { callsOf, channelsIn, registrationsIn, SHOW_CHANNELS, SHOW_REGISTRATIONS } from './channels.ts'
import { type EventSocket, type EventSocketPlace, openEventSocket } from './event-socket.ts'
import { type Findings, findings } from './findings.ts'

/** How many calls are asked for the moment of their answer, which takes a command each. */
const MOST_ASKED = 1_000
const ID = /^[0-9a-f-]{1,64}$/i

export interface FreeswitchParts extends Findings {
  readonly place: EventSocketPlace
  readonly clock: Clock
  /** The slugs of tenants by their domains. */
  slugOf(domain: string): Promise<string | null>
}

/** A FreeSWITCH that is asked over its event socket, on a connection for each question. */
export function freeswitch(parts: FreeswitchParts): TelephoneSwitch {
  const { place, clock, slugOf } = parts
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
        const now = clock.now()
        const found: Phone[] = []
        for (const { user, domain, address, agent, expiresIn } of registrationsIn(await socket.api(SHOW_REGISTRATIONS)))
          found.push({
            tenant: await slugOf(domain),
            extension: user,
            address,
            agent,
            expiresAt: expiresIn === null ? null : addSeconds(now, expiresIn),
          })
        return found
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
    check: () => findings(parts),
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
