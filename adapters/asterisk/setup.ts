import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { SetupOptions, SwitchSetup } from '../../core/ports/switching/setup.ts'
import { REALM, VIEWS } from './render/telephones.ts'

/** The initial setup of Asterisk. */
export interface Setup {
  /** Where phones and carriers reach it. */
  readonly address: string
  readonly sipPort: number
  readonly managerPort: number
  readonly managerPassword: string
  /** First and last UDP port. */
  readonly rtpPorts: readonly [number, number]
  /** The SQLite file of the telephones; null if they are in `pjsip.conf`. */
  readonly telephonesDb: string | null
}

const PJSIP = [
  ...['', '_session', '_authenticator_digest', '_outbound_authenticator_digest', '_endpoint_identifier_ip'],
  ...['_endpoint_identifier_user', '_registrar', '_outbound_registration', '_sdp_rtp', '_nat', '_caller_id'],
  ...['_dtmf_info', '_rfc3326', '_refer', '_pubsub', '_mwi', '_mwi_body_generator', '_outbound_publish'],
  ...['_exten_state', '_pidf_body_generator', '_dialog_info_body_generator', '_logger', '_path'],
].map(name => `res_pjsip${name}`)

/** The modules that the rendered dialplan needs. */
export const NEEDED_MODULES = [
  ...['chan_pjsip', 'res_pjsip_authenticator_digest', 'app_dial', 'app_queue', 'app_stack', 'app_voicemail'],
  ...['func_callerid', 'func_channel', 'func_groupcount', 'func_logic', 'func_cdr', 'func_db'],
  ...['func_pjsip_contact', 'func_strings', 'cdr_csv'],
]

/** What lets Asterisk read telephones from a SQLite file. */
export const TABLE_MODULES = ['res_config_sqlite3', 'res_sorcery_realtime']

/** What lets the dialplan report refused calls. */
export const REPORTING = { module: 'app_userevent', permission: 'user' } as const

const MODULES = [
  ...['res_timing_timerfd', 'res_sorcery_config', 'res_sorcery_memory', 'res_sorcery_astdb', 'pbx_config'],
  ...['res_pjproject', 'res_rtp_asterisk', 'res_musiconhold', ...PJSIP, 'chan_pjsip'],
  ...['bridge_simple', 'bridge_native_rtp', 'bridge_softmix', 'bridge_holding', 'bridge_builtin_features'],
  ...['codec_ulaw', 'codec_alaw', 'format_pcm', 'format_wav'],
  ...['app_dial', 'app_queue', 'app_stack', 'app_playback', 'app_verbose', 'app_voicemail', 'app_exec'],
  REPORTING.module,
  ...['func_callerid', 'func_channel', 'func_strings', 'func_logic', 'func_cdr', 'func_db', 'func_devstate'],
  ...['func_groupcount', 'func_pjsip_endpoint', 'func_pjsip_aor', 'func_pjsip_contact', 'cdr_csv'],
]

const FOLDER = '/etc/asterisk'
const CDR_FILE = '/var/log/asterisk/cdr-csv/Master.csv'
const TELEPHONES_DB = '/var/lib/asterisk/trunkline/telephones.db'
const PORTS = { sipPort: 5060, managerPort: 5038, rtpPorts: [10_000, 20_000] } as const

/** Returns a complete configuration of Asterisk, and the setting that goes with it. */
export function asteriskSetup({ out, address, telephones, registrations }: SetupOptions): SwitchSetup {
  if (registrations === 'memory')
    throw new AppError('malformed', 'Asterisk has one place for registrations: --registrations is for FreeSWITCH.')
  const managerPassword = randomBytes(24).toString('base64url')
  const telephonesDb = telephones === 'database' ? TELEPHONES_DB : null
  const setting = {
    asterisk: {
      dir: `${FOLDER}/trunkline`,
      manager: { host: '127.0.0.1', port: PORTS.managerPort, user: 'trunkline', password: managerPassword },
      cdr_file: CDR_FILE,
      ...(telephonesDb === null ? {} : { telephones_db: telephonesDb }),
    },
  }
  return {
    files: [
      ...setupFiles({ ...PORTS, address: address ?? '0.0.0.0', managerPassword, telephonesDb }),
      { path: 'trunkline.json', text: `${JSON.stringify(setting, null, 2)}\n` },
    ],
    reach: `Telephones and carriers reach Asterisk at ${address ?? 'every address of this machine; --address selects one'}`,
    steps: [
      `move ${FOLDER} aside (mv ${FOLDER} ${FOLDER}.before), create it again (install -d -o root -g asterisk -m 0750 ${FOLDER}), and put the files of ${out} into it (install -o root -g asterisk -m 0640 ${out}/*.conf ${FOLDER}/); where there was an asterisk.conf, copy that back`,
      `make the folder that trunklined writes into: install -d -o trunkline -g asterisk -m 2750 ${FOLDER}/trunkline`,
      ...(telephonesDb === null ? [] : [placeFor(telephonesDb)]),
      `let trunklined read the call records: usermod -a -G asterisk trunkline`,
      `put the member "asterisk" of ${out}/trunkline.json into /etc/trunkline/trunkline.json`,
      'restart Asterisk, then trunklined',
      'run: trunkline switch check',
    ],
  }
}

/** The file must be there before Asterisk starts, which would make one that trunklined cannot write. */
const placeFor = (path: string): string =>
  `make the database of telephones, which both write: install -d -o trunkline -g asterisk -m 2770 ${dirname(path)} && install -o trunkline -g asterisk -m 0660 /dev/null ${path}`

type SetupFile = SwitchSetup['files'][number]

/** Returns everything that Asterisk needs and nothing else: no stock file, default password or unused service. */
export const setupFiles = (setup: Setup): readonly SetupFile[] => [
  file('modules.conf', [
    ...['[modules]', 'autoload = no'],
    ...[...(setup.telephonesDb === null ? [] : TABLE_MODULES), ...MODULES].map(name => `load = ${name}.so`),
  ]),
  ...(setup.telephonesDb === null ? [] : tableFiles(setup.telephonesDb)),
  file('logger.conf', [
    ...['[general]', 'dateformat = %F %T.%3q', ''],
    ...['[logfiles]', 'console => notice,warning,error', 'messages => notice,warning,error'],
  ]),
  file('rtp.conf', ['[general]', `rtpstart = ${setup.rtpPorts[0]}`, `rtpend = ${setup.rtpPorts[1]}`]),
  file('musiconhold.conf', ['[default]', 'mode = files', 'directory = moh']),
  file('manager.conf', managerLines(setup)),
  includingFile('pjsip', pjsipLines(setup)),
  includingFile('extensions', ['[general]', 'static = yes', 'writeprotect = yes', 'autofallthrough = yes']),
  includingFile('queues', ['[general]', 'persistentmembers = no', 'autofill = yes']),
  includingFile('voicemail', ['[general]', 'format = wav', 'maxsecs = 300', 'maxmsg = 100']),
  file('cdr.conf', [
    ...['[general]', 'enable = yes', 'unanswered = no', 'initiatedseconds = yes', ''],
    ...['[csv]', 'usegmtime = yes', 'loguniqueid = yes', 'loguserfield = yes'],
    ...['newcdrcolumns = yes', 'accountlogs = no'],
  ]),
]

/** What has Asterisk read telephones from the file, and trunks from `pjsip.conf` as before. */
const tableFiles = (path: string): readonly SetupFile[] => [
  file('res_config_sqlite3.conf', ['[trunkline]', `dbfile => ${path}`, 'batch => 0', 'busy_timeout => 1000']),
  file('extconfig.conf', ['[settings]', ...VIEWS.map(({ view }) => `${view} => sqlite3,trunkline,${view}`)]),
  file('sorcery.conf', [
    '[res_pjsip]',
    ...VIEWS.flatMap(({ type, view }) => [
      `${type} = config,pjsip.conf,criteria=type=${type}`,
      `${type} = realtime,${view}`,
    ]),
  ]),
]

const file = (path: string, lines: readonly string[]): SetupFile => ({ path, text: `${lines.join('\n')}\n` })

/** A file that ends by including the one of that name which the service writes. */
const includingFile = (name: string, lines: readonly string[]): SetupFile =>
  file(`${name}.conf`, [...lines, '', `#tryinclude trunkline/${name}.conf`])

const managerLines = ({ managerPort, managerPassword }: Setup): readonly string[] => [
  ...['[general]', 'enabled = yes', 'bindaddr = 127.0.0.1', `port = ${managerPort}`, 'displayconnects = no', ''],
  ...['[trunkline]', `secret = ${managerPassword}`, 'deny = 0.0.0.0/0.0.0.0', 'permit = 127.0.0.1/255.255.255.255'],
  ...[`read = system,call,reporting,${REPORTING.permission}`, 'write = system,call,reporting,command'],
]

const pjsipLines = ({ address, sipPort }: Setup): readonly string[] => [
  ...['[global]', 'type = global', 'endpoint_identifier_order = ip,username,auth_username'],
  '; Trunkline hashes secrets with this realm: a change locks every telephone out.',
  ...[`default_realm = ${REALM}`, 'disable_multi_domain = yes', 'user_agent = PBX'],
  ...['udp', 'tcp'].flatMap(protocol => [
    ...['', `[${protocol}]`, 'type = transport', `protocol = ${protocol}`, `bind = ${address}:${sipPort}`],
  ]),
]
