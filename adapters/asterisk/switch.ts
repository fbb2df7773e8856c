import { formatTimestamp } from '../../core/dates.ts'
import type { StoredTable } from '../../core/ports/switching/table.ts'
import type { Phone, TelephoneSwitch } from '../../core/ports/switching.ts'
import type { Clock } from '../../core/ports/system.ts'
import { callsOn, channelsIn } from './calls/channels.ts'
import { findings } from './checks/findings.ts'
import { type Manager, type ManagerPlace, onManager } from './manager.ts'
import { type ManagerMessage, valueIn } from './manager-messages.ts'
import { renderedParts } from './rendered-parts.ts'
import type { SourceParts } from './source.ts'
import { TELEPHONES } from './telephone-place.ts'

export interface AsteriskParts {
  readonly folder: string
  readonly place: ManagerPlace
  /** The database of telephones; null if they are in `pjsip.conf`. */
  readonly table: StoredTable | null
  readonly clock: Clock
  /** Opens the storage if an answer needs it, and closes it after `read`. */
  stored<T>(read: (parts: SourceParts) => Promise<T>): Promise<T>
}

/** The most calls to ask for the time of their answer, which takes a query each. */
const MOST_ASKED = 1_000

/** An Asterisk that is queried over its manager interface, on a new connection each time. */
export function asteriskSwitch({ folder, place, table, clock, stored }: AsteriskParts): TelephoneSwitch {
  const connected = <T>(ask: (manager: Manager) => Promise<T>): Promise<T> => onManager(place, ask)
  return {
    kind: 'asterisk',
    phones: () =>
      connected(async manager =>
        (await manager.list({ Action: 'PJSIPShowContacts' })).flatMap(event => phoneOf(event)),
      ),
    calls: () => connected(manager => callsOn(manager, clock.now(), (_, index) => index < MOST_ASKED)),
    end: id =>
      connected(async manager => {
        const channels = channelsIn(await manager.list({ Action: 'CoreShowChannels' }))
        const found = channels.filter(({ linkedId, uniqueId }) => linkedId === id || uniqueId === id)
        for (const { name } of found) await manager.ask({ Action: 'Hangup', Channel: name, Cause: '16' })
        return found.length > 0
      }),
    check: () => findings({ folder, user: place.user, table, stored, connected }),
    render: (request, hasSecrets) =>
      stored(parts => renderedParts(parts, request, { hasSecrets, telephonesIn: table ? TELEPHONES : 'pjsip.conf' })),
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
