import { REALM } from './render/pjsip.ts'

/** A first set-up of Asterisk. */
export interface Setup {
  /** The folder that the files are for, absolute. */
  readonly folder: string
  /** Where telephones and carriers reach it. */
  readonly address: string
  readonly sipPort: number
  readonly managerPort: number
  readonly managerPassword: string
  /** First and last, UDP. */
  readonly rtpPorts: readonly [number, number]
}

export interface SetupFile {
  readonly path: string
  readonly text: string
}

const PJSIP = [
  ...['', '_session', '_authenticator_digest', '_outbound_authenticator_digest', '_endpoint_identifier_ip'],
  ...['_endpoint_identifier_user', '_registrar', '_outbound_registration', '_sdp_rtp', '_nat', '_caller_id'],
  ...['_dtmf_info', '_rfc3326', '_refer', '_pubsub', '_mwi', '_mwi_body_generator', '_outbound_publish'],
  ...['_exten_state', '_pidf_body_generator', '_dialog_info_body_generator', '_logger', '_path'],
].map(name => `res_pjsip${name}`)

/** What the dialplan that is rendered asks for. */
export const NEEDED_MODULES = [
  ...['chan_pjsip', 'res_pjsip_authenticator_digest', 'app_dial', 'app_queue', 'app_stack', 'app_voicemail'],
  ...['func_callerid', 'func_channel', 'func_groupcount', 'func_logic', 'func_cdr', 'func_pjsip_contact', 'cdr_csv'],
]

const MODULES = [
  ...['res_timing_timerfd', 'res_sorcery_config', 'res_sorcery_memory', 'res_sorcery_astdb', 'pbx_config'],
  ...['res_pjproject', 'res_rtp_asterisk', 'res_musiconhold', ...PJSIP, 'chan_pjsip'],
  ...['bridge_simple', 'bridge_native_rtp', 'bridge_softmix', 'bridge_holding', 'bridge_builtin_features'],
  ...['codec_ulaw', 'codec_alaw', 'format_pcm', 'format_wav'],
  ...['app_dial', 'app_queue', 'app_stack', 'app_playback', 'app_verbose', 'app_voicemail', 'app_exec'],
  ...['func_callerid', 'func_channel', 'func_strings', 'func_logic', 'func_cdr', 'func_db', 'func_devstate'],
  ...['func_groupcount', 'func_pjsip_endpoint', 'func_pjsip_aor', 'func_pjsip_contact', 'cdr_csv'],
]

/** All that Asterisk needs and nothing else: no stock file, no default password, no service that is not used. */
export function setupFiles(setup: Setup): readonly SetupFile[] {
  const { folder, address, sipPort, managerPort, managerPassword, rtpPorts } = setup
  const file = (path: string, ...lines: readonly string[]): SetupFile => ({ path, text: `${lines.join('\n')}\n` })
  const included = (name: string): string => `#tryinclude ${folder}/trunkline/${name}.conf`
  const transport = (protocol: 'udp' | 'tcp'): string[] => [
    ...['', `[${protocol}]`, 'type = transport', `protocol = ${protocol}`, `bind = ${address}:${sipPort}`],
  ]
  return [
    file('asterisk.conf', '[directories]', `astetcdir => ${folder}`, '', '[options]', 'defaultlanguage = en'),
    file('modules.conf', '[modules]', 'autoload = no', ...MODULES.map(name => `load = ${name}.so`)),
    file(
      'logger.conf',
      '[general]',
      'dateformat = %F %T.%3q',
      '',
      '[logfiles]',
      'console => notice,warning,error',
      'messages => notice,warning,error',
    ),
    file('rtp.conf', '[general]', `rtpstart = ${rtpPorts[0]}`, `rtpend = ${rtpPorts[1]}`),
    file('musiconhold.conf', '[default]', 'mode = files', 'directory = moh'),
    file(
      'manager.conf',
      ...['[general]', 'enabled = yes', 'bindaddr = 127.0.0.1', `port = ${managerPort}`, 'displayconnects = no', ''],
      ...['[trunkline]', `secret = ${managerPassword}`, 'deny = 0.0.0.0/0.0.0.0', 'permit = 127.0.0.1/255.255.255.255'],
      ...['read = system,call,reporting', 'write = system,call,reporting,command'],
    ),
    file(
      'pjsip.conf',
      ...['[global]', 'type = global', 'endpoint_identifier_order = ip,username,auth_username'],
      ...[
        '; Trunkline hashes secrets with this realm: a change locks every telephone out.',
        `default_realm = ${REALM}`,
      ],
      ...['disable_multi_domain = yes', 'user_agent = PBX', ...transport('udp'), ...transport('tcp'), ''],
      included('pjsip'),
    ),
    file(
      'extensions.conf',
      '[general]',
      'static = yes',
      'writeprotect = yes',
      'autofallthrough = yes',
      '',
      included('extensions'),
    ),
    file('queues.conf', '[general]', 'persistentmembers = no', 'autofill = yes', '', included('queues')),
    file('voicemail.conf', '[general]', 'format = wav', 'maxsecs = 300', 'maxmsg = 100', '', included('voicemail')),
    file(
      'cdr.conf',
      ...['[general]', 'enable = yes', 'unanswered = no', '', '[csv]', 'usegmtime = yes', 'loguniqueid = yes'],
      ...['loguserfield = yes', 'newcdrcolumns = yes', 'accountlogs = no'],
    ),
    file('trunkline-manager-password', managerPassword),
  ]
}
