import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { marked } from '../../../adapters/asterisk/marked.ts'
import { FILES } from '../../../adapters/asterisk/render/files.ts'
import { NEEDED_MODULES, REPORTING } from '../../../adapters/asterisk/setup.ts'
import { asteriskSwitch } from '../../../adapters/asterisk/switch.ts'
import { AppError } from '../../../core/errors.ts'
import type { RenderRequest, TelephoneSwitch } from '../../../core/ports/switching.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { manualClock } from '../../support/clock.ts'
import { did, directory, extension, trunk, type World } from '../../support/switching/directory.ts'
import { directoryOf } from '../../support/switching/freeswitch.ts'
import { type Actions, type HeldManager, heldManager, listed, ok, PASSWORD } from '../../support/switching/manager.ts'

const channel = (name: string, given: Actions = {}): Actions => ({
  ...{ Channel: name, AccountCode: 'acme', Uniqueid: '1.1', Linkedid: '1.1', CallerIDNum: '101', Exten: '102' },
  ...{ ChannelStateDesc: 'Up', Duration: '00:01:05', ...given },
})

/** The channels of a call out: of the phone, the two halves of its line, and of the carrier. */
const callOut = (n: string, to: string, given: Actions = {}): Actions[] => {
  const linked = { Linkedid: `${n}.1`, ...given }
  const dials = { ApplicationData: `PJSIP/${to}@_carrier,120,ib(tl-caller^anonymous^1)` }
  return [
    channel(`PJSIP/acme-101-0000000${n}`, { Uniqueid: `${n}.1`, Exten: to, ...linked }),
    channel(`Local/101@line-acme-0000000${n};1`, { Uniqueid: `${n}.2`, CallerIDNum: to, Exten: '', ...linked }),
    // Its caller's number follows whoever talks on the line.
    channel(`Local/101@line-acme-0000000${n};2`, {
      Uniqueid: `${n}.3`,
      CallerIDNum: '102',
      Exten: to,
      ...dials,
      ...linked,
    }),
    channel(`PJSIP/_carrier-1000000${n}`, { Uniqueid: `${n}.4`, CallerIDNum: to, Exten: '', ...linked }),
  ]
}

const WORLD: World = {
  extensions: [extension('101', { hasVoicemail: true }), extension('102')],
  dids: [did('+380441234567', [{ type: 'extension', number: '101' }])],
  trunks: [trunk('carrier-one', { username: 'me', secret: 'hush' })],
}
const acme = directory(WORLD)

describe('an Asterisk that is asked', () => {
  let folder: string
  let channels: Actions[]
  let world = acme
  let contacts: Actions[]
  let hungUp: string[]
  let output: (command: string) => string
  let manager: HeldManager
  const ask = (password = PASSWORD): TelephoneSwitch =>
    asteriskSwitch({
      ...{ folder, table: null },
      place: { host: '127.0.0.1', port: manager.port, user: 'trunkline', password },
      clock: manualClock(),
      stored: read =>
        read({
          directory: directoryOf(() => [world]),
          used: async () => ({ tenant: NOTHING_USED, extension: () => NOTHING_USED, extensions: () => new Set() }),
          rates: { of: async () => [] },
        }),
    })

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-asked-'))
    ;[channels, contacts, hungUp, output] = [[], [], [], () => '']
    manager = await heldManager(action => {
      switch (action['Action']) {
        case 'CoreShowChannels':
          return listed(action, 'CoreShowChannel', channels)
        case 'PJSIPShowContacts':
          return listed(action, 'ContactList', contacts)
        case 'Getvar':
          return ok(action, 'Value: 1795343040.500000\r\n')
        case 'Hangup':
          hungUp.push(action['Channel'] ?? '')
          return ok(action)
        default:
          return ok(action, `Output: ${output(action['Command'] ?? '')}\r\n`)
      }
    })
  })
  afterEach(async () => {
    await manager.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('shows the phones that are registered, by tenant and extension, and no carrier', async () => {
    const at = { Uri: 'sip:acme-west-101@192.0.2.9:5062;ob', UserAgent: 'Desk phone 7', RegExpire: '1795343100' }
    contacts.push({ ObjectName: 'acme-west-101;@0123', ...at }, { ObjectName: '_carrier;@1', Uri: 'sip:192.0.2.1' })
    assert.deepEqual(await ask().phones(), [
      {
        ...{ tenant: 'acme-west', extension: '101', address: '192.0.2.9:5062', agent: 'Desk phone 7' },
        expiresAt: '2026-11-22T10:25:00.000000Z',
      },
    ])
  })

  test('shows a call once, with who called, where it went and when it was answered', async () => {
    channels.push(...callOut('1', '+380501234567'))
    const [call, ...others] = await ask().calls()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [call?.id, call?.tenant, call?.extension, call?.to, call?.direction, call?.trunk, call?.answeredAt],
      ['1.1', 'acme', '101', '+380501234567', 'outbound', 'carrier', '2026-11-22T10:24:00.000000Z'],
    )
  })

  test('shows each call out of those that were joined, with who pays for it, though its caller is gone', async () => {
    const joined = [...callOut('1', '+380501110003'), ...callOut('2', '+380501110004', { Linkedid: '1.1' })]
    channels.push(...joined.filter(({ Channel }) => !Channel?.startsWith('PJSIP/acme')))
    const calls = await ask().calls()
    assert.deepEqual(
      calls.map(({ id, extension: of, to, direction, trunk: via }) => [id, of, to, direction, via]),
      [
        ['1.1', '101', '+380501110003', 'outbound', 'carrier'],
        ['2.3', '101', '+380501110004', 'outbound', 'carrier'],
      ],
    )
    assert.equal(await ask().end('2.3'), true)
    assert.deepEqual(hungUp, ['Local/101@line-acme-00000002;2'])
  })

  test('ends all channels of a call, and none where there is no such call', async () => {
    channels.push(channel('PJSIP/acme-101-00000001'), channel('PJSIP/acme-102-00000002', { Uniqueid: '1.2' }))
    channels.push(channel('PJSIP/beta-101-00000003', { Uniqueid: '2.1', Linkedid: '2.1' }))
    assert.equal(await ask().end('9.9'), false)
    assert.equal(await ask().end('1.1'), true)
    assert.deepEqual(hungUp, ['PJSIP/acme-101-00000001', 'PJSIP/acme-102-00000002'])
  })

  const codes = async (): Promise<string[]> => (await ask().check()).map(({ code }) => code)
  /** Writes the files as the daemon does, and returns their markers. */
  const write = async (): Promise<string[]> => {
    const parts = await ask().render({ tenant: null, extension: null, dialled: null }, true)
    return FILES.map(name => {
      const file = marked(name, parts.find(part => part.name === `${name}.conf`)?.text ?? '')
      writeFileSync(join(folder, `${name}.conf`), file.text)
      return file.marker
    })
  }
  const healthy = async (): Promise<void> => {
    const markers = await write()
    const outputs: Readonly<Record<string, string>> = {
      'module show': NEEDED_MODULES.map(name => `${name}.so`).join(' '),
      [`module show like ${REPORTING.module}`]: `${REPORTING.module}.so`,
      'manager show user trunkline': '       secret: <Set>\n    read perm: system,call,user\n   write perm: system\n',
      'pjsip show settings': 'default_realm : asterisk',
    }
    output = command => outputs[command] ?? markers.join(' ')
  }

  test('finds nothing wrong with one that has loaded every file', async () => {
    await healthy()
    assert.deepEqual(await codes(), [])
  })

  test('finds files that are not written or not loaded, modules that are missing, and another realm', async () => {
    assert.deepEqual(
      new Set(await codes()),
      new Set(['asterisk_not_written', 'asterisk_modules', 'asterisk_refusals_unreported']),
    )
    await healthy()
    output = command => (command === 'pjsip show settings' ? 'default_realm : elsewhere' : 'No such thing')
    const expected = ['asterisk_not_loaded', 'asterisk_modules', 'asterisk_refusals_unreported', 'asterisk_realm']
    assert.deepEqual(new Set(await codes()), new Set(expected))
  })

  test('finds trunks and telephones that Asterisk has as they were before a change', async () => {
    await healthy()
    const found = async (given: World): Promise<[string, string][]> => {
      world = directory({ ...WORLD, ...given })
      return (await ask().check()).map(({ code, finding }) => [code, finding])
    }
    assert.deepEqual(await found({ trunks: [trunk('carrier-one', { username: 'me', secret: 'new' })] }), [
      ['asterisk_trunk_changed', 'Asterisk does not have trunk carrier-one as it is stored: pjsip.conf is older'],
    ])
    assert.deepEqual(await found({ trunks: [] }), [
      ['asterisk_trunk_left', 'Asterisk still has trunk carrier-one, which is inactive or deleted'],
    ])
    assert.deepEqual(await found({ extensions: [extension('101', { hasVoicemail: true, secret: 'new' })] }), [
      [
        'asterisk_telephones_changed',
        'Asterisk does not have the telephones of acme as they are stored: pjsip.conf is older',
      ],
    ])
    assert.deepEqual(await found({}), [])
    world = acme
  })

  test('finds an Asterisk that does not report the calls that it refuses', async () => {
    await healthy()
    const found = output
    const lacking = async (command: string, shown: string): Promise<(string | null)[]> => {
      output = asked => (asked === command ? shown : found(asked))
      return (await ask().check()).map(({ fix }) => fix)
    }
    assert.deepEqual(await lacking('manager show user trunkline', '    read perm: system,call,reporting\n'), [
      'write user among the read permissions of trunkline in manager.conf, and restart Asterisk',
    ])
    assert.deepEqual(await lacking(`module show like ${REPORTING.module}`, '0 modules loaded'), [
      'write load = app_userevent.so in modules.conf, and restart Asterisk',
    ])
  })

  test('finds trunks with TLS where Asterisk has no such transport', async () => {
    world = directory({ trunks: [trunk('carrier-one', { transport: 'tls' }), trunk('carrier-two')] })
    await healthy()
    const found = output
    const withTransport = (shown: string) => (command: string) =>
      command === 'pjsip show transport tls' ? shown : found(command)
    output = withTransport('Unable to find object tls.\n')
    assert.deepEqual(
      (await ask().check()).map(({ code, finding }) => [code, finding.split(' has ')[0]]),
      [['asterisk_no_tls', 'Trunk carrier-one']],
    )
    output = withTransport(' ParameterName : ParameterValue\n protocol : tls\n')
    assert.deepEqual(await codes(), [])
    world = acme
  })

  test('finds a folder that is gone, a refused password and a switch that is away', async () => {
    await healthy()
    const found = await ask('wrong').check()
    assert.deepEqual(
      found.map(({ code, severity }) => [code, severity]),
      [['asterisk_manager', 'error']],
    )
    assert.match(found[0]?.fix ?? '', /user and password/)
    assert.ok(!JSON.stringify(found).includes('wrong'))
    rmSync(folder, { recursive: true })
    assert.ok((await codes()).includes('asterisk_folder'))
    const away = ask()
    await manager.close()
    await assert.rejects(away.calls(), error => error instanceof AppError && error.code === 'unavailable')
    const unreached = (await away.check()).find(({ code }) => code === 'asterisk_manager')
    assert.match(unreached?.fix ?? '', /^start Asterisk/)
    manager = await heldManager(() => null)
  })

  const rendered = async (
    request: Partial<RenderRequest> = {},
    hasSecrets = false,
  ): Promise<Record<string, string>> => {
    const parts = await ask().render({ tenant: null, extension: null, dialled: null, ...request }, hasSecrets)
    return Object.fromEntries(parts.map(({ name, text }) => [name, text]))
  }

  test('shows its files, without secrets unless they are asked for', async () => {
    const files = await rendered()
    assert.deepEqual(Object.keys(files), ['extensions.conf', 'pjsip.conf', 'queues.conf', 'voicemail.conf'])
    assert.match(files['pjsip.conf'] ?? '', /^md5_cred = ••••••$/m)
    assert.match(files['pjsip.conf'] ?? '', /^password = ••••••$/m)
    assert.doesNotMatch(files['pjsip.conf'] ?? '', /[0-9a-f]{32}|hush/)
    assert.match((await rendered({}, true))['pjsip.conf'] ?? '', /^md5_cred = [0-9a-f]{32}$/m)
  })

  test('shows what a tenant, or one extension, has in them', async () => {
    const tenant = await rendered({ tenant: 'acme' })
    assert.deepEqual(Object.keys(tenant), ['extensions.conf', 'pjsip.conf', 'voicemail.conf'])
    assert.match(tenant['extensions.conf'] ?? '', /\[tl-dids-67\]\nexten => 380441234567,1/)
    const own = await rendered({ tenant: 'acme', extension: '101' })
    assert.deepEqual(own['pjsip.conf']?.match(/^\[.*/gm), [
      '[acme-101](tl-endpoint)',
      '[acme-101](tl-aor)',
      '[acme-101](tl-auth)',
    ])
    assert.equal(own['voicemail.conf'], '[tenant-acme]\n101 => -,Desk 101\n')
    assert.deepEqual(Object.keys(await rendered({ tenant: 'acme', extension: '102' })), ['pjsip.conf'])
    assert.deepEqual(await rendered({ tenant: 'beta' }), {})
  })
})
