import { freeswitch } from '../../../adapters/freeswitch/freeswitch.ts'
import { gatewayOf } from '../../../adapters/freeswitch/names.ts'
import type { TelephoneSwitch } from '../../../core/ports/switching.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { manualClock } from '../clock.ts'
import { directory, extension, trunk } from './directory.ts'
import { type Behaviour, heldSwitch, PASSWORD } from './event-socket.ts'
import { directoryOf, KEY } from './freeswitch.ts'

export const one = trunk('carrier-one')
export const acme = directory({ extensions: [extension('101')], trunks: [one] })

/** Asks a switch with this behaviour and this event socket password. */
export async function asked<T>(
  behaviour: Behaviour,
  ask: (of: TelephoneSwitch, commands: readonly string[]) => Promise<T>,
  {
    password = PASSWORD,
    cdrFolder = null,
    world = acme,
    lookups = 8081,
  }: { password?: string; cdrFolder?: string | null; world?: TenantDirectory; lookups?: number | null } = {},
): Promise<T> {
  const held = await heldSwitch(behaviour)
  try {
    const of = freeswitch.ask({
      ...{ place: { ...held.place, password }, cdrFolder, key: KEY, clock: manualClock() },
      ports: { own: 8080, lookups },
      stored: read => read(directoryOf(() => [world])),
    })
    return await ask(of, held.commands)
  } finally {
    await held.close()
  }
}

const REGISTRATIONS = `
Registrations:
=================================================================================================
Call-ID:    1-26@127.0.0.11
User:       101@acme.example.com
Contact:    "" <sip:101@127.0.0.11:25561>
Agent:      desk-phone/1
Status:     Registered(UDP)(unknown) EXP(2026-11-22 12:05:00) EXPSECS(60)
Ping-Status: Reachable
IP:         127.0.0.11
Port:       25561

Call-ID:    2-26@127.0.0.12
User:       7@elsewhere.example.com
Agent:
Status:     Registered(UDP)
IP:         127.0.0.12
Port:       5060

Total items returned: 2
=================================================================================================
`

export const ID = '1781e2c8-7c5f-4b0a-a9e7-5a8d2b0f1c11'
const leg = (given: Record<string, string>) => ({ created_epoch: '1795350000', call_uuid: ID, ...given })
const CHANNELS = JSON.stringify({
  row_count: 3,
  rows: [
    leg({ uuid: ID, callstate: 'ACTIVE', presence_data: 'trunkline:acme:outbound:101::+380501112233' }),
    leg({
      ...{ uuid: 'f0', callstate: 'ACTIVE', presence_data: 'trunkline:acme:outbound:101:carrier-one:+380501112233' },
    }),
    leg({ uuid: 'f1', call_uuid: 'f1', callstate: 'RINGING', presence_data: '' }),
  ],
})
const DUMP = 'Event-Name: CHANNEL_DATA\nCaller-Channel-Answered-Time: 1795350002123456\n'

/** As FreeSWITCH shows it. */
export const askingAt = (port: number): string => `<configuration name="xml_curl.conf">
        <bindings>
            <binding name="trunkline">
                <param name="gateway-url" value="http://127.0.0.1:${port}/freeswitch/xml" bindings="directory|dialplan|configuration"></param>

                <param name="gateway-credentials" value="freeswitch:a-token-of-the-tests"></param>

        </binding>

      </bindings>

    </configuration>

`

export const GOOD = {
  module_exists: 'true',
  'xml_locate configuration configuration name xml_curl.conf': askingAt(8081),
  'xml_locate configuration configuration name sofia.conf': '',
  xml_locate: '<configuration name="trunkline.conf"></configuration>',
  'global_getvar domain': '127.0.0.1',
  // The first whose name a command begins with is its answer.
  'global_getvar current_application_data': 'CALL_REJECTED',
  'global_getvar current_application': 'hangup',
  'global_getvar execute_on_answer_unasked': 'hangup CALL_REJECTED',
  'global_getvar force_transfer_dialplan': 'XML',
  user_exists: 'false',
  'sofia profile external gwlist down': '',
  'sofia profile external gwlist': gatewayOf(one, KEY),
  'sofia status profile internal reg': REGISTRATIONS,
  'show channels': CHANNELS,
  uuid_dump: DUMP,
  uuid_kill: '+OK\n',
}

export const answering =
  (changed: Partial<Record<keyof typeof GOOD, string>> = {}) =>
  (command: string): string =>
    Object.entries({ ...GOOD, ...changed }).find(([name]) => command.startsWith(name))?.[1] ?? '-ERR no such command\n'
