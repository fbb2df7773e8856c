import type { SwitchFinding } from '../../../core/ports/switching.ts'
import { GLOBALS, RECORD_SECONDS } from '../guards.ts'
import type { EventSocket } from '../socket/event-socket.ts'
import { found } from './found.ts'

/** What keeps a telephone from having FreeSWITCH call any host, in the profile of telephones. */
const TRANSFER_GUARDS = ['manual-redirect', 'channel-xml-fetch-on-nightmare-transfer']

/** Checks for a configuration that an earlier setup wrote without those guards. */
export async function openTransfers(socket: EventSocket): Promise<SwitchFinding[]> {
  const sofia = await socket.api('xml_locate configuration configuration name sofia.conf')
  const missing = TRANSFER_GUARDS.filter(name => !sofia.includes(`name="${name}" value="true"`))
  if (!sofia.includes('<profile') || missing.length === 0) return []
  return [
    found(
      'open_transfers',
      'error',
      `the profile internal lacks ${missing.join(' and ')}: a telephone that transfers a call to another host can have FreeSWITCH call a carrier without a trunk, a limit and a record`,
      'run trunkline switch setup freeswitch again in another folder, copy the parameters and the section channels from its freeswitch.xml, and restart FreeSWITCH',
    ),
  ]
}

/** Checks for a configuration that an earlier setup wrote without the global variables. */
export async function openTakeovers(socket: EventSocket): Promise<SwitchFinding[]> {
  const missing: string[] = []
  for (const [name, value] of Object.entries(GLOBALS))
    if ((await socket.api(`global_getvar ${name}`)).trim() !== value) missing.push(name)
  if (missing.length === 0) return []
  return [
    found(
      'open_takeovers',
      'error',
      `FreeSWITCH lacks the global ${missing.length === 1 ? 'variable' : 'variables'} ${missing.join(', ')}: whoever reaches a port of SIP can have it run any application, such as a call to a carrier or a command, and take over calls`,
      'run trunkline switch setup freeswitch again in another folder, copy the lines X-PRE-PROCESS from its freeswitch.xml, then run: fs_cli -x reloadxml',
    ),
  ]
}

/** Checks for an earlier setup, in which a call that has ended may count for nothing while the database is busy. */
export async function impatience(socket: EventSocket): Promise<SwitchFinding[]> {
  const configuration = await socket.api('xml_locate configuration configuration name json_cdr.conf')
  const seconds = /name="timeout" value="(\d{1,5})"/.exec(configuration)?.[1]
  if (seconds === undefined || Number(seconds) >= RECORD_SECONDS) return []
  return [
    found(
      'record_timeout',
      'warning',
      `FreeSWITCH waits ${seconds} s until a record is stored: while another program holds the database for longer, calls that have ended do not count for limits`,
      `set timeout in json_cdr.conf to ${RECORD_SECONDS}, then run: fs_cli -x reloadxml && fs_cli -x 'reload mod_json_cdr'`,
    ),
  ]
}
