import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gatewayOf } from '../../../adapters/freeswitch/names.ts'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import type { RenderRequest } from '../../../core/ports/switching.ts'
import { manualClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { answering, asked, askingAt, GOOD, ID, one } from '../../support/switching/asked-freeswitch.ts'
import { directory, trunk } from '../../support/switching/directory.ts'
import type { Behaviour } from '../../support/switching/event-socket.ts'
import { elementsIn, KEY, proofOf, valuesIn } from '../../support/switching/freeswitch.ts'

/** Sends each byte separately, in turns of the event loop. */
const byteByByte: NonNullable<Behaviour['send']> = async (socket, text) => {
  for (const byte of Buffer.from(text)) {
    socket.write(Buffer.from([byte]))
    await nextTurn()
  }
}

const fails = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

describe('FreeSWITCH, asked over its event socket', () => {
  test('shows its telephones, with the tenants of their domains', async () => {
    const found = await asked({ answer: answering(), send: byteByByte }, of => of.phones())
    const now = Date.parse(manualClock().now())
    assert.deepEqual(
      found.map(({ tenant, extension: number, address, agent }) => [tenant, number, address, agent]),
      [
        ['acme', '101', '127.0.0.11:25561', 'desk-phone/1'],
        [null, '7', '127.0.0.12:5060', null],
      ],
    )
    assert.deepEqual(
      found.map(({ expiresAt }) => expiresAt && Date.parse(expiresAt) - now),
      [60_000, null],
    )
  })

  test('shows its calls as those of the legs to carriers, with the moment of the answer', async () => {
    const [call, ...others] = await asked({ answer: answering(), send: byteByByte }, of => of.calls())
    assert.equal(others.length, 0)
    assert.deepEqual(call, {
      ...{ id: ID, tenant: 'acme', extension: '101', from: '101', to: '+380501112233', direction: 'outbound' },
      ...{ trunk: 'carrier-one', startedAt: '2026-11-22T12:20:00.000000Z', answeredAt: '2026-11-22T12:20:02.123456Z' },
    })
  })

  test('ends a call by its id, and sends nothing that is not an id', () =>
    asked({ answer: answering() }, async (of, commands) => {
      assert.equal(await of.end(ID), true)
      assert.deepEqual(commands, [`uuid_kill ${ID} NORMAL_CLEARING`])
      for (const id of ['all', `${ID} x`, 'a\n\napi shutdown', '']) assert.equal(await of.end(id), false)
      assert.equal(commands.length, 1)
    }))

  test('knows when there is no such call', async () => {
    const answer = answering({ uuid_kill: '-ERR No such channel!\n' })
    assert.equal(await asked({ answer }, of => of.end(ID)), false)
  })

  const found = (changed: Partial<Record<keyof typeof GOOD, string>>): Promise<string[]> =>
    asked({ answer: answering(changed) }, async of => (await of.check()).map(({ code }) => code))

  test('finds nothing when all is well', async () => assert.deepEqual(await found({}), []))

  test('finds each fault, with its fix', async () => {
    assert.deepEqual(await found({ xml_locate: '-ERR\n' }), ['freeswitch_feed_unanswered'])
    assert.deepEqual(await found({ user_exists: 'true' }), ['freeswitch_stock_users'])
    assert.deepEqual(await found({ 'sofia profile external gwlist': '' }), ['freeswitch_gateway_missing'])
    const former = gatewayOf({ ...one, port: 5070 }, KEY)
    assert.deepEqual(await found({ 'sofia profile external gwlist': former }), ['freeswitch_gateway_changed'])
    const both = `${gatewayOf(one, KEY)} ${gatewayOf({ ...one, name: 'carrier-two' }, KEY)} not-ours`
    assert.deepEqual(await found({ 'sofia profile external gwlist': both }), ['freeswitch_gateway_left'])
    const down = { 'sofia profile external gwlist': '', 'sofia profile external gwlist down': gatewayOf(one, KEY) }
    assert.deepEqual(await found(down), ['freeswitch_gateway_down'])
    assert.deepEqual(new Set(await found({ module_exists: 'false' })), new Set(['freeswitch_module_missing']))
    const findings = await asked({ answer: answering({ module_exists: 'false' }) }, of => of.check())
    assert.ok(findings.every(({ fix }) => fix !== null))
  })

  test('finds a profile that does not run, as when another program has its port', async () => {
    const findings = async (name: string) => {
      const answer = (command: string): string =>
        command === `sofia status profile ${name}` ? 'Invalid Profile!\n' : answering()(command)
      return (await asked({ answer }, of => of.check())).map(({ code, finding }) => [code, finding])
    }
    const code = 'freeswitch_profile_stopped'
    for (const [name, effect] of [
      ['internal', 'no telephone can register or call'],
      ['external', 'no call goes to a carrier or comes from one'],
    ] as const)
      assert.deepEqual(await findings(name), [[code, `the profile ${name} does not run: ${effect}`]])
  })

  test('finds a profile of telephones that an earlier setup wrote', async () => {
    const guards = (value: string): string =>
      ['manual-redirect', 'channel-xml-fetch-on-nightmare-transfer']
        .map(name => `<param name="${name}" value="${value}"></param>`)
        .join('')
    const codes = async (params: string): Promise<string[]> => {
      const sofia = `<configuration name="sofia.conf"><profile name="internal">${params}</profile></configuration>`
      const answer = answering({ 'xml_locate configuration configuration name sofia.conf': sofia })
      return (await asked({ answer }, of => of.check())).map(({ code }) => code)
    }
    assert.deepEqual(await codes(guards('true')), [])
    for (const params of ['', guards('false')]) assert.deepEqual(await codes(params), ['freeswitch_open_transfers'])
  })

  test('finds a setup of an earlier version, which lets calls be taken over', async () => {
    const answer = answering({
      'global_getvar current_application': '',
      'global_getvar execute_on_answer_unasked': 'log of the operator',
    })
    const [finding, ...others] = await asked({ answer }, of => of.check())
    assert.deepEqual([finding?.code, finding?.severity, others.length], ['freeswitch_open_takeovers', 'error', 0])
    assert.match(finding?.finding ?? '', /lacks the global variables current_application, execute_on_answer_unasked:/)
  })

  test('finds a FreeSWITCH that waits for records too briefly', async () => {
    const codes = async (seconds: number): Promise<string[]> => {
      const configuration = `<settings><param name="timeout" value="${seconds}"></param></settings>`
      const answers = answering()
      const answer = (command: string): string => (command.endsWith('json_cdr.conf') ? configuration : answers(command))
      return (await asked({ answer }, of => of.check())).map(({ code }) => code)
    }
    assert.deepEqual(await codes(2), ['freeswitch_record_timeout'])
    assert.deepEqual(await codes(30), [])
  })

  describe('the port where FreeSWITCH asks', () => {
    const ANSWERS = { xml_locate: GOOD.xml_locate }
    const NONE = { xml_locate: "-ERR can't find configuration" }
    const findings = (port: number, answers: typeof ANSWERS, lookups: number | null) => {
      const url = { 'xml_locate configuration configuration name xml_curl.conf': askingAt(port) }
      return asked({ answer: answering({ ...url, ...answers }) }, of => of.check(), { lookups })
    }

    test('is reported if it is that of the API although lookups have their own', async () => {
      const [first, ...others] = await findings(8080, ANSWERS, 8081)
      assert.deepEqual([first?.code, first?.severity, others], ['freeswitch_lookup_port', 'warning', []])
      assert.match(first?.finding ?? '', /asks at port 8080, .*; port 8081 is for lookups alone$/)
      assert.match(first?.fix ?? '', /^set the port in gateway-url of xml_curl\.conf to 8081, then: fs_cli /)
    })

    test('is compared with the right one if nothing answers there', async () => {
      const [first, ...others] = await findings(8081, NONE, null)
      assert.deepEqual([first?.code, others], ['freeswitch_feed_unanswered', []])
      assert.match(first?.finding ?? '', /; it asks at port 8081, and lookups are answered at 8080$/)
      assert.match(first?.fix ?? '', /^set the port in gateway-url of xml_curl\.conf to 8080, then: fs_cli /)
    })

    test('is not blamed if it is the right one and nothing answers', async () => {
      const [first] = await findings(8081, NONE, 8081)
      assert.match(first?.fix ?? '', /^see that trunklined runs, /)
    })

    test('is right if lookups have none of their own, or if another one leads to theirs', async () => {
      assert.deepEqual(await findings(8080, ANSWERS, null), [])
      assert.deepEqual(await findings(18_081, ANSWERS, 8081), [])
    })
  })

  test('finds a trunk with TLS where its profile has none', async () => {
    const encrypted = trunk('carrier-one', { transport: 'tls' })
    const world = directory({ trunks: [encrypted] })
    const codes = (profile: string) => {
      const up = { 'sofia profile external gwlist': gatewayOf(encrypted, KEY) }
      const answer = (command: string): string =>
        command === 'sofia status profile external' ? profile : answering(up)(command)
      return asked({ answer }, of => of.check(), { world })
    }
    assert.deepEqual(
      (await codes('URL \tsip:mod_sofia@192.0.2.1:5080\n')).map(({ code }) => code),
      ['freeswitch_no_tls'],
    )
    assert.deepEqual(await codes('URL \tsip:x\nTLS-URL          \tsips:mod_sofia@192.0.2.1:5081\n'), [])
  })

  test('finds records that wait, and a folder that cannot be read', async () => {
    const folder = temporaryFolder()
    const cdrFolder = join(folder.path, 'cdr')
    const codes = () => asked({ answer: answering() }, of => of.check(), { cdrFolder })
    assert.deepEqual((await codes())[0]?.code, 'freeswitch_cdr_folder')
    mkdirSync(cdrFolder)
    assert.deepEqual(await codes(), [])
    writeFileSync(join(cdrFolder, 'one.cdr.json'), '{}')
    assert.equal((await codes())[0]?.finding, `1 call record waits in ${cdrFolder}`)
    folder.remove()
  })

  test('that refuses the password, or does not answer, is a finding, and questions fail with it', async () => {
    await asked(
      {},
      async of => {
        assert.deepEqual(
          (await of.check()).map(({ code }) => code),
          ['freeswitch_password'],
        )
        await assert.rejects(of.phones(), fails('forbidden'))
      },
      { password: 'another' },
    )
    const rude = { greeting: 'Content-Type: text/rude-rejection\nContent-Length: 24\n\nAccess Denied, go away.\n' }
    await asked(rude, async of => {
      assert.deepEqual(
        (await of.check()).map(({ code }) => code),
        ['freeswitch_unreachable'],
      )
      await assert.rejects(of.calls(), fails('unavailable'))
    })
  })

  test('fails where another program listens, and where the connection is cut in mid-answer', async () => {
    for (const greeting of ['SSH-2.0-OpenSSH_9.2\r\n\n\n', '\u0000'.repeat(100_000), '\n\n'])
      await asked({ greeting }, of => assert.rejects(of.phones(), fails('unavailable')))
    const half: Behaviour = {
      answer: answering(),
      send: (socket, text) => {
        if (!text.includes('api/response')) return void socket.write(text)
        socket.write(text.slice(0, text.length / 2), () => socket.destroy())
      },
    }
    await asked(half, async of => {
      for (const ask of [of.phones(), of.calls(), of.end(ID)]) await assert.rejects(ask, fails('unavailable'))
    })
    await asked({ answer: () => 'not JSON' }, of => assert.rejects(of.calls(), fails('unavailable')))
  })
})

test('it shows the answers that FreeSWITCH gets, without secrets unless they are asked for', async () => {
  await asked({}, async of => {
    const rendered = async (given: Partial<RenderRequest>, hasSecrets = false): Promise<string[][]> => {
      const parts = await of.render({ tenant: null, extension: null, dialled: null, ...given }, hasSecrets)
      return parts.map(({ name, text }) => [name, text])
    }
    const [gateways, queues] = await rendered({})
    assert.deepEqual([gateways?.[0], queues?.[0]], ['gateways.xml', 'callcenter.xml'])
    assert.equal(elementsIn(gateways?.[1] ?? '', 'gateway')[0]?.getAttribute('name'), gatewayOf(one, KEY))
    const own = { tenant: 'acme', extension: '101' }
    const [[name, hidden] = []] = await rendered(own)
    assert.equal(name, 'directory.xml')
    const proof = proofOf('101', 'acme.example.com', 's3cret-101')
    assert.equal(valuesIn(hidden ?? '')['a1-hash'], '••••••')
    assert.equal(valuesIn((await rendered(own, true))[0]?.[1] ?? '')['a1-hash'], proof)
    const [[plan, call] = []] = await rendered({ ...own, dialled: '0501234567' })
    assert.equal(plan, 'dialplan.xml')
    assert.match(call ?? '', /application="bridge" data="\{process_cdr=true.*380501234567"/)
    assert.deepEqual(await rendered({ tenant: 'beta' }), [])
  })
})

test('it counts the records that wait in the folder, whether or not the switch is up', async () => {
  const { path: cdrFolder, remove } = temporaryFolder()
  for (const name of ['a.cdr.json', 'b.cdr.json', 'c.tmp']) writeFileSync(join(cdrFolder, name), '{}')
  await asked({}, async of => assert.equal(await of.recordsWaiting(), 2), { cdrFolder })
  await asked({}, async of => assert.equal(await of.recordsWaiting(), null))
  remove()
})
