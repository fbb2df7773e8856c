import { GLOBALS, RECORD_SECONDS } from '../guards.ts'
import { FREESWITCH_USER, LOOKUP_PATH } from '../lookups/mounts.ts'
import { escaped } from '../lookups/xml.ts'

export interface Ports {
  readonly telephones: number
  readonly carriers: number
  readonly eventSocket: number
  readonly lookups: number
}

/** What differs from one machine to another. */
export interface Configuration {
  /** Where FreeSWITCH sends its call records, and its lookups. */
  readonly urls: { readonly records: string; readonly lookups: string }
  readonly token: string
  readonly password: string
  /** The address for phones and carriers; `auto` for that of the default route. */
  readonly address: string
  readonly ports: Ports
  readonly cdrFolder: string
  /** Where registrations are kept; null for FreeSWITCH's own folder of databases. */
  readonly registrationsFolder: string | null
}

const param = (name: string, value: string | number): string =>
  `<param name="${name}" value="${escaped(String(value))}"/>`

const configuration = (name: string, lines: readonly string[]): string =>
  [`    <configuration name="${name}.conf">`, ...lines.map(line => `      ${line}`), '    </configuration>'].join('\n')

const settings = (values: Readonly<Record<string, string | number>>): string[] => [
  '<settings>',
  ...Object.entries(values).map(([name, value]) => `  ${param(name, value)}`),
  '</settings>',
]

/** mod_xml_curl comes late: each module loaded after it requests its configuration. */
const MODULES = [
  ...['console', 'logfile', 'event_socket', 'commands', 'dptools', 'dialplan_xml', 'tone_stream', 'sndfile'],
  ...['json_cdr', 'xml_curl', 'callcenter', 'voicemail', 'sofia'],
]

/** mod_voicemail ends a call for which it lacks a phrase. */
const VOICEMAIL_PHRASES = [
  ...[
    'abort',
    'ack',
    'change_pass_fail',
    'change_pass_success',
    'choose_greeting',
    'choose_greeting_fail',
    'config_menu',
    'disk_quota_exceeded',
    'enter_id',
  ],
  ...['enter_pass', 'fail_auth', 'forward_message_enter_extension', 'forward_prepend', 'goodbye', 'greeting_selected'],
  ...['hello', 'invalid_extension', 'listen_file_check', 'menu', 'message_count', 'play_greeting', 'record_file_check'],
  ...['record_greeting', 'record_message', 'record_name', 'record_urgent_check', 'say_date', 'say_message_number'],
  ...['say_name', 'say_number', 'say_phone_number', 'urgent'],
]

/** Tones in the place of words: no package of sounds is needed. */
const phrase = (name: string): string => {
  const tone = name === 'play_greeting' ? '%(300,100,440);%(300,100,554)' : '%(120,80,660)'
  const action = `<action function="play-file" data="tone_stream://${escaped(tone)}"/>`
  return `          <macro name="voicemail_${name}"><input pattern="(.*)"><match>${action}</match></input></macro>`
}

const GLOBAL_LINES = Object.entries(GLOBALS).map(
  ([name, value]) => `  <X-PRE-PROCESS cmd="set" data="${name}=${value}"/>`,
)

/** Returns one file, freeswitch.xml, with nothing unnecessary in it: no user, known password or sample. */
export const configurationOf = (given: Configuration): string => `<?xml version="1.0"?>
<!-- Made by: trunkline switch setup freeswitch. It holds a token and a password: keep it readable only by FreeSWITCH. -->
<document type="freeswitch/xml">
  <!-- No call takes another over, or runs applications of its choice. -->
${GLOBAL_LINES.join('\n')}
  <section name="configuration">
${configurations(given).join('\n')}
  </section>
  <!-- FreeSWITCH asks Trunkline for users and calls. This part is used when it does not answer. -->
  <section name="directory"/>
  <!-- A transfer to another switch is refused: it would leave without a trunk. -->
  <section name="channels">
    <params>
      <param name="dial-prefix" value=""/>
      <param name="absolute-dial-string" value="error/CALL_REJECTED"/>
    </params>
  </section>
  <section name="languages">
    <language name="en" say-module="en">
      <phrases>
        <macros>
${VOICEMAIL_PHRASES.map(phrase).join('\n')}
        </macros>
      </phrases>
    </language>
  </section>
  <section name="dialplan">
    <context name="global">
      <extension name="away">
        <condition>
          <action application="set" data="process_cdr=false"/>
          <action application="respond" data="503 Service Unavailable"/>
        </condition>
      </extension>
    </context>
  </section>
</document>
`

const configurations = (given: Configuration): string[] => [
  configuration(
    'switch',
    settings({
      ...{ loglevel: 'info', 'max-sessions': 2000, 'sessions-per-second': 100 },
      // Its list of all registrations is written with each of them.
      ...keptIn(given, 'core-db-name', 'core.db'),
    }),
  ),
  configuration('modules', ['<modules>', ...MODULES.map(name => `  <load module="mod_${name}"/>`), '</modules>']),
  configuration('console', [
    '<mappings><map name="all" value="notice,warning,err,crit,alert"/></mappings>',
    ...settings({ loglevel: 'notice' }),
  ]),
  configuration('logfile', [
    ...settings({ 'rotate-on-hup': 'true' }),
    '<profiles>',
    '  <profile name="default">',
    `    <settings>${param('rollover', 104_857_600)}${param('maximum-rotate', 10)}</settings>`,
    '    <mappings><map name="all" value="info,notice,warning,err,crit,alert"/></mappings>',
    '  </profile>',
    '</profiles>',
  ]),
  configuration('acl', ['<network-lists/>']),
  configuration(
    'event_socket',
    settings({
      ...{ 'nat-map': 'false', 'listen-ip': '127.0.0.1', 'listen-port': given.ports.eventSocket },
      password: given.password,
    }),
  ),
  configuration('xml_curl', [
    '<bindings>',
    '  <binding name="trunkline">',
    `    <param name="gateway-url" value="${escaped(given.urls.lookups + LOOKUP_PATH)}" bindings="directory|dialplan|configuration"/>`,
    ...[
      param('gateway-credentials', `${FREESWITCH_USER}:${given.token}`),
      param('auth-scheme', 'basic'),
      param('timeout', 2),
    ].map(line => `    ${line}`),
    '  </binding>',
    '</bindings>',
  ]),
  configuration(
    'json_cdr',
    settings({
      ...{
        url: `${given.urls.records}/freeswitch/cdr`,
        cred: `${FREESWITCH_USER}:${given.token}`,
        'auth-scheme': 'basic',
      },
      ...{ timeout: RECORD_SECONDS, retries: 0, encode: 'false', 'log-b-leg': 'false', 'err-log-dir': given.cdrFolder },
    }),
  ),
  configuration('callcenter', [
    ...settings({ 'truncate-tiers-on-load': 'true', 'truncate-agents-on-load': 'true' }),
    '<queues/><agents/><tiers/>',
  ]),
  configuration('voicemail', [
    '<settings/>',
    '<profiles>',
    `  <profile name="default">${param('file-extension', 'wav')}${param('tone-spec', '%(1000, 0, 640)')}</profile>`,
    '</profiles>',
  ]),
  sofia(given),
]

/** Returns the parameter that places a database of registrations; none if it stays where FreeSWITCH keeps others. */
const keptIn = (
  { registrationsFolder: folder }: Configuration,
  name: string,
  file: string,
): Readonly<Record<string, string>> => (folder === null ? {} : { [name]: `${folder}/${file}` })

const sofia = (given: Configuration): string =>
  configuration('sofia', [
    // Without it, one thread serves every REGISTER.
    `<global_settings>${param('log-level', 0)}${param('max-reg-threads', 16)}</global_settings>`,
    '<profiles>',
    ...profile('internal', '<domains/>', {
      ...common(given, given.ports.telephones),
      ...keptIn(given, 'dbname', 'sofia_reg_internal.db'),
      // A context that does not exist: each phone has that of its tenant.
      ...{ context: 'nobody', 'auth-calls': 'true', 'challenge-realm': 'auto_from' },
      ...{ 'inbound-reg-force-matching-username': 'true', 'inbound-reg-in-new-thread': 'true' },
      ...{ 'log-auth-failures': 'true', 'multiple-registrations': 'contact', 'aggressive-nat-detection': 'true' },
      // Without them, a phone that redirects or transfers a call to another host has FreeSWITCH call that host.
      ...{ 'manual-redirect': 'true', 'channel-xml-fetch-on-nightmare-transfer': 'true' },
    }),
    // parse: the profile requests the trunks' gateways.
    ...profile('external', '<domains><domain name="all" alias="false" parse="true"/></domains>', {
      ...common(given, given.ports.carriers),
      // Only a telephone of a tenant may send a call on.
      ...{ context: 'public', 'auth-calls': 'false', 'disable-transfer': 'true' },
    }),
    '</profiles>',
  ])

const common = ({ address }: Configuration, port: number): Record<string, string | number> => ({
  ...{ 'sip-ip': address, 'rtp-ip': address, 'sip-port': port, dialplan: 'XML', 'user-agent-string': 'FreeSWITCH' },
  ...{ 'codec-prefs': 'PCMU,PCMA', 'inbound-codec-negotiation': 'generous', 'rtp-timer-name': 'soft' },
  ...{ 'manage-presence': 'false', tls: 'false', 'rtp-timeout-sec': 300, 'rtp-hold-timeout-sec': 1800 },
})

const profile = (name: string, domains: string, values: Readonly<Record<string, string | number>>): string[] => [
  `  <profile name="${name}">`,
  `    ${domains}`,
  ...settings(values).map(line => `    ${line}`),
  '  </profile>',
]
