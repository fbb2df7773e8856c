import { randomBytes } from 'node:crypto'
import { AppError } from '../../../core/errors.ts'
import type { SetupOptions, SwitchSetup } from '../../../core/ports/switching/setup.ts'
import { configurationOf, type Ports } from './setup-xml.ts'

/** The daemon's own settings. */
export interface SetupSurroundings {
  /** Where FreeSWITCH reaches the daemon: with its port, without a trailing slash. */
  readonly daemonUrl: string
  /** The ports that the daemon listens at. */
  readonly ownPorts: readonly number[]
  /** The machine's own addresses other than the loopback's. */
  readonly addresses: readonly string[]
}

const PORTS: Ports = { telephones: 5060, carriers: 5080, eventSocket: 8021, lookups: 8081 }
const CDR_FOLDER = '/var/lib/freeswitch/trunkline-cdr'
/** The packages of FreeSWITCH have it made at each start of the machine. */
const MEMORY_FOLDER = '/run/freeswitch'

/** What differs in tests. */
export interface Places {
  readonly ports: Ports
  readonly cdrFolder: string
  /** A folder in memory. */
  readonly memoryFolder: string
}

/** FreeSWITCH chooses the address of the default route when it starts, and 127.0.0.1 without one. */
function reachOf(addresses: readonly string[]): string {
  if (addresses.length === 0)
    return 'Warning: this machine has only the loopback, so FreeSWITCH will use 127.0.0.1, which no other machine reaches; give another --address'
  if (addresses.length === 1) return `Telephones and carriers reach FreeSWITCH at ${addresses[0]}`
  return `This machine has ${addresses.length} addresses (${addresses.join(', ')}): FreeSWITCH uses that of the default route, or 127.0.0.1 without one; choose another with --address`
}

/** FreeSWITCH writes each answer to a temporary file. */
const temporaryIn = (folder: string): string =>
  `have FreeSWITCH write its temporary files to memory too: put DAEMON_OPTS="-nonat -temp ${folder}" into /etc/default/freeswitch`

/** fs_cli would try a password that everybody knows. */
const consoleAccess = (port: number, password: string): string =>
  ['[default]', 'host => 127.0.0.1', `port => ${port}`, `password => ${password}`, ''].join('\n')

const secret = (): string => randomBytes(24).toString('base64url')

/** Returns a complete configuration of FreeSWITCH, and the setting that goes with it. */
export function freeswitchSetup(
  { out, address, telephones, registrations }: SetupOptions,
  { daemonUrl, ownPorts, addresses }: SetupSurroundings,
  { ports = PORTS, cdrFolder = CDR_FOLDER, memoryFolder = MEMORY_FOLDER }: Partial<Places> = {},
): SwitchSetup {
  if (telephones === 'database')
    throw new AppError('malformed', 'FreeSWITCH asks for each telephone: --telephones is for Asterisk.')
  const [token, password] = [secret(), secret()]
  let lookupPort = ports.lookups
  while (ownPorts.includes(lookupPort)) lookupPort++
  const setting = {
    freeswitch: {
      token,
      lookup_port: lookupPort,
      event_socket: { host: '127.0.0.1', port: ports.eventSocket, password },
      cdr_folder: cdrFolder,
    },
  }
  const configuration = configurationOf({
    ...{ token, password, address: address ?? 'auto', ports, cdrFolder },
    registrationsFolder: registrations === 'memory' ? memoryFolder : null,
    urls: { records: daemonUrl, lookups: daemonUrl.replace(/:\d+$/, `:${lookupPort}`) },
  })
  return {
    files: [
      { path: 'freeswitch.xml', text: configuration },
      { path: 'trunkline.json', text: `${JSON.stringify(setting, null, 2)}\n` },
      { path: 'fs_cli.conf', text: consoleAccess(ports.eventSocket, password) },
    ],
    reach: address === null ? reachOf(addresses) : `Telephones and carriers reach FreeSWITCH at ${address}`,
    steps: [
      `replace /etc/freeswitch by a folder that holds only ${out}/freeswitch.xml: mv /etc/freeswitch /etc/freeswitch.before && install -d -o freeswitch -g freeswitch -m 0750 /etc/freeswitch && install -o freeswitch -g freeswitch -m 0600 ${out}/freeswitch.xml /etc/freeswitch/`,
      `create the folder of records that could not be posted: install -d -o freeswitch -g trunkline -m 2770 ${cdrFolder}`,
      `put the member "freeswitch" of ${out}/trunkline.json into /etc/trunkline/trunkline.json`,
      `give fs_cli the new password: install -m 0600 ${out}/fs_cli.conf /root/.fs_cli_conf`,
      ...(registrations === 'memory' ? [temporaryIn(memoryFolder)] : []),
      'restart trunklined, then FreeSWITCH',
      'run: trunkline switch check',
    ],
  }
}
