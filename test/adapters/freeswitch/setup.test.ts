import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freeswitchSetup } from '../../../adapters/freeswitch/setup/setup.ts'
import { readSetting } from '../../../config/settings.ts'
import type { SetupOptions } from '../../../core/ports/switching/setup.ts'
import { elementsIn, preprocessed, valuesIn } from '../../support/switching/freeswitch.ts'

const made = (
  address: string | null = null,
  addresses: readonly string[] = ['203.0.113.5'],
  port = 8080,
  registrations: SetupOptions['registrations'] = 'disk',
) => {
  const { files, steps, reach } = freeswitchSetup(
    { out: '/tmp/out', address, registrations },
    { daemonUrl: `http://127.0.0.1:${port}`, ownPorts: [port, 8082], addresses },
  )
  const text = (path: string): string => files.find(file => file.path === path)?.text ?? ''
  return {
    xml: text('freeswitch.xml'),
    setting: JSON.parse(text('trunkline.json')),
    console: text('fs_cli.conf'),
    steps,
    reach,
  }
}

/** The parameters of a configuration, by name. */
const configured = (xml: string, name: string): Record<string, string> => {
  const found = elementsIn(xml, 'configuration').find(each => each.getAttribute('name') === `${name}.conf`)
  assert.ok(found, name)
  return Object.fromEntries(
    [...found.getElementsByTagName('param')].map(each => [each.getAttribute('name'), each.getAttribute('value')]),
  )
}

describe('the initial setup of FreeSWITCH', () => {
  test('has phrases of voicemail, without which the call would end', () => {
    const names = elementsIn(made().xml, 'macro').map(each => each.getAttribute('name'))
    for (const name of ['play_greeting', 'record_message', 'hello', 'enter_pass', 'menu', 'goodbye'])
      assert.ok(names.includes(`voicemail_${name}`), name)
  })

  test('says where telephones reach it, and warns where none can', () => {
    assert.equal(made().reach, 'Telephones and carriers reach FreeSWITCH at 203.0.113.5')
    assert.equal(made('192.0.2.1').reach, 'Telephones and carriers reach FreeSWITCH at 192.0.2.1')
    assert.match(
      made(null, ['203.0.113.5', '10.0.0.1']).reach,
      /^This machine has 2 addresses \(203\.0\.113\.5, 10\.0\.0\.1\)/,
    )
    assert.match(made(null, []).reach, /^Warning: .* 127\.0\.0\.1, which no other machine reaches/)
  })

  test('lets no carrier send a call on', () => {
    const profiles = elementsIn(made().xml, 'profile').filter(each => each.getAttribute('name') === 'external')
    const params = profiles.flatMap(each => [...each.getElementsByTagName('param')])
    assert.ok(
      params.some(each => each.getAttribute('name') === 'disable-transfer' && each.getAttribute('value') === 'true'),
    )
  })

  test('lets no telephone have a host of its choice called, by a redirection or a transfer', () => {
    const { xml } = made()
    const internal = elementsIn(xml, 'profile').find(each => each.getAttribute('name') === 'internal')
    const values = valuesIn(String(internal))
    for (const guard of ['manual-redirect', 'channel-xml-fetch-on-nightmare-transfer'])
      assert.equal(values[guard], 'true', guard)
    const channels = elementsIn(xml, 'section').find(each => each.getAttribute('name') === 'channels')
    assert.deepEqual(valuesIn(String(channels)), {
      'dial-prefix': '',
      'absolute-dial-string': 'error/CALL_REJECTED',
    })
  })

  test('lets no INVITE with Replaces take a call over or run an application', () => {
    const set = [...made().xml.matchAll(/^ *<X-PRE-PROCESS cmd="set" data="([^"=]*)=([^"]*)"\/>$/gm)]
    assert.deepEqual(Object.fromEntries(set.map(([, name, value]) => [name, value])), {
      current_application: 'hangup',
      current_application_data: 'CALL_REJECTED',
      execute_on_answer_unasked: 'hangup CALL_REJECTED',
      force_transfer_dialplan: 'XML',
    })
  })

  test('goes with the setting that it comes with: token, password and folder are the same', () => {
    const { xml, setting } = made()
    const read = readSetting('freeswitch', setting.freeswitch)
    assert.ok('value' in read, JSON.stringify(read))
    const { token, lookup_port, event_socket, cdr_folder } = setting.freeswitch
    assert.equal(configured(xml, 'xml_curl')['gateway-credentials'], `freeswitch:${token}`)
    assert.equal(configured(xml, 'xml_curl')['gateway-url'], `http://127.0.0.1:${lookup_port}/freeswitch/xml`)
    const { url, cred, 'err-log-dir': folder, retries, encode } = configured(xml, 'json_cdr')
    assert.deepEqual(
      [url, cred, folder, retries, encode],
      ['http://127.0.0.1:8080/freeswitch/cdr', `freeswitch:${token}`, cdr_folder, '0', 'false'],
    )
    const socket = configured(xml, 'event_socket')
    assert.deepEqual(
      [socket['listen-ip'], socket['listen-port'], socket['password']],
      ['127.0.0.1', String(event_socket.port), event_socket.password],
    )
  })

  test('lets fs_cli in, which the commands of switch check need', () => {
    const { console, setting, steps } = made()
    const { host, port, password } = setting.freeswitch.event_socket
    assert.equal(console, `[default]\nhost => ${host}\nport => ${port}\npassword => ${password}\n`)
    assert.ok(steps.some(step => step.endsWith('install -m 0600 /tmp/out/fs_cli.conf /root/.fs_cli_conf')))
  })

  test('has another port for lookups than those of the daemon', () => {
    const { xml, setting } = made(null, [], 8081)
    assert.equal(setting.freeswitch.lookup_port, 8083)
    assert.equal(configured(xml, 'xml_curl')['gateway-url'], 'http://127.0.0.1:8083/freeswitch/xml')
    assert.equal(configured(xml, 'json_cdr')['url'], 'http://127.0.0.1:8081/freeswitch/cdr')
  })

  test('keeps registrations, and the list of them, in memory only if told to, and voicemail never', () => {
    const places = (registrations: SetupOptions['registrations']) => {
      const { xml, steps } = made(null, [], 8080, registrations)
      const [core, registered] = [configured(xml, 'switch')['core-db-name'], configured(xml, 'sofia')['dbname']]
      return [core, registered, steps.some(step => step.includes('-temp /run/freeswitch'))]
    }
    assert.deepEqual(places('disk'), [undefined, undefined, false])
    assert.deepEqual(places('memory'), ['/run/freeswitch/core.db', '/run/freeswitch/sofia_reg_internal.db', true])
    assert.equal(configured(made(null, [], 8080, 'memory').xml, 'voicemail')['dbname'], undefined)
  })

  test('has secrets of its own each time', () => {
    const [one, other] = [made().setting.freeswitch, made().setting.freeswitch]
    assert.notEqual(one.token, other.token)
    assert.notEqual(one.event_socket.password, other.event_socket.password)
    assert.notEqual(one.token, one.event_socket.password)
    assert.ok(one.token.length >= 32)
  })

  test('has no user, no known password and no sample', () => {
    const xml = made().xml.replaceAll(/^ *<X-PRE-PROCESS cmd="set" .*\n/gm, '')
    assert.equal(elementsIn(xml, 'user').length, 0)
    assert.doesNotMatch(xml, /ClueCon|1234|\$\$\{|X-PRE-PROCESS/i)
    assert.equal(preprocessed(xml).split('\n').length, xml.split('\n').length - 1)
  })

  test('asks every telephone to prove who it is, in the domain that it names, and puts none into a tenant', () => {
    const { xml } = made('192.0.2.1')
    const [internal, external] = elementsIn(xml, 'profile').slice(-2)
    const valuesOf = (profile: typeof internal): Record<string, string> =>
      Object.fromEntries(
        [...(profile?.getElementsByTagName('param') ?? [])].map(each => [
          each.getAttribute('name'),
          each.getAttribute('value'),
        ]),
      )
    const { context, 'auth-calls': proves, 'challenge-realm': realm, 'sip-ip': address, ...others } = valuesOf(internal)
    assert.deepEqual([context, proves, realm, address], ['nobody', 'true', 'auto_from', '192.0.2.1'])
    assert.equal(others['inbound-reg-force-matching-username'], 'true')
    assert.equal(others['force-register-domain'] ?? others['force-register-db-domain'], undefined)
    assert.equal(valuesOf(external)['context'], 'public')
  })

  test('says what to do with it', () => {
    assert.match(made().steps.join('\n'), /restart trunklined, then FreeSWITCH/)
  })
})
