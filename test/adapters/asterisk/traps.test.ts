import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { belongsTo, channelsIn } from '../../../adapters/asterisk/calls/channels.ts'
import { renderFiles } from '../../../adapters/asterisk/render/files.ts'
import { telephoneSections } from '../../../adapters/asterisk/render/telephones.ts'
import { renderTenant, type TenantText } from '../../../adapters/asterisk/render/tenant.ts'
import { asteriskSetup } from '../../../adapters/asterisk/setup.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { readDialplan, run } from '../../support/switching/dialplan.ts'
import { did, directory, extension, queue, trunk, type World } from '../../support/switching/directory.ts'

const rendered = (given: World): TenantText =>
  renderTenant({
    directory: directory(given),
    used: { tenant: NOTHING_USED, extensions: () => new Set(), extension: () => NOTHING_USED },
    ratedPrefixes: [],
    reader: 'tl-read-1',
  })
const filesOf = (given: World) => {
  const tenant = rendered(given)
  const telephones = [telephoneSections(tenant.telephones)]
  return renderFiles({ tenants: [tenant], telephones, trunks: given.trunks ?? [], readers: new Map() })
}

test('an extension without a secret is on no switch, and every endpoint asks for a password', () => {
  for (const secret of ['', ' ', '\t']) {
    const { telephones, leftOut } = rendered({ extensions: [extension('101', { secret })] })
    assert.deepEqual(telephones, [])
    assert.deepEqual(leftOut, [{ of: 'extension acme/101', why: 'it has no secret' }])
  }
  const endpoints = filesOf({})
    .files.pjsip.split('\n\n')
    .filter(section => section.includes('(tl-endpoint)'))
  assert.equal(endpoints.length, 2)
  for (const endpoint of endpoints) assert.match(endpoint, /^auth = acme-10[12]$/m)
})

test('no secret of a telephone is in any file, whatever characters it has', () => {
  const secret = 'p;a\\s"s>w\nord'
  const { files } = filesOf({ extensions: [extension('101', { secret })] })
  assert.ok(!JSON.stringify(files).includes('ord'))
  assert.match(files.pjsip, /^md5_cred = [0-9a-f]{32}$/m)
})

test('what tenants write makes no section, comment or command of a file', () => {
  const displayName = 'a\n[evil]\nexten => 1,1,System(id)\r;x\\"<1>\u0024{SHELL(id)}\u2028[b]'
  const hostile = { displayName, hasVoicemail: true }
  const { files } = filesOf({
    extensions: [extension('101', hostile), extension('1\n[x]', hostile)],
    dids: [did('+380441234567', [{ type: 'extension', number: '101' }], { provider: '"\n[evil]' })],
  })
  for (const text of Object.values(files)) {
    assert.doesNotMatch(text, /^\[evil\]|^exten => 1,1,System|SHELL\(/m)
    for (const line of text.split('\n')) assert.ok(line.startsWith(';') || !line.includes(';'), line)
  }
  assert.match(files.pjsip, /^callerid = "a evil exten = 1 1 System id x 1 SHELL id b" <101>$/m)
})

test('nothing of a tenant that is not active, or whose slug no switch can use, is in a file', () => {
  for (const tenant of [{ status: 'suspended' }, { status: 'Active' }, { slug: 'a b' }, { slug: 'a\n[x]' }]) {
    const { telephones, extensions, queues, voicemail, dids } = rendered({ tenant })
    assert.deepEqual([telephones, extensions, queues, voicemail, dids], [[], '', '', '', []])
  }
})

test('a trunk that no file can hold is left out, with the reason', () => {
  const { files, leftOut } = filesOf({
    trunks: [
      trunk('one', { host: '192.0.2.1', username: 'u', secret: 'a;b\\c' }),
      trunk('a,b'),
      trunk('two', { host: 'x\n[evil]' }),
      trunk('three', { secret: ' x', username: 'u' }),
    ],
  })
  assert.match(files.pjsip, /^password = a\\;b\\\\c$/m)
  assert.deepEqual(
    leftOut.map(({ of }) => of),
    ['trunk "a,b"', 'trunk "two"', 'trunk "three"'],
  )
})

test('a number that two tenants have belongs to one, and the other is named', () => {
  const [one, two] = [1, 2].map(id =>
    renderTenant({
      directory: directory({
        tenant: { id, slug: `t${id}` },
        dids: [did('+380441234567', [], { id, tenantId: id })],
      }),
      used: { tenant: NOTHING_USED, extensions: () => new Set(), extension: () => NOTHING_USED },
      ratedPrefixes: [],
      reader: 'tl-read-1',
    }),
  )
  assert.ok(one && two)
  const { files, leftOut } = renderFiles({ tenants: [two, one], telephones: [], trunks: [], readers: new Map() })
  assert.deepEqual(leftOut, [{ of: 'DID 380441234567 of tenant t2', why: 'tenant t1 has the same number' }])
  assert.equal(files.extensions.match(/^exten => 380441234567,1/gm)?.length, 1)
})

/** Renders tenants of these slugs, with a queue, a mailbox, and limits of every kind. */
const filesOfSlugs = (...slugs: string[]) => {
  const limits = { blockedPrefixes: ['38090'], ratedOnly: true, most: { concurrent_calls: 1, calls_per_day: 1 } }
  const trunks = [trunk('one', { host: '192.0.2.1' })]
  const tenants = slugs.map((slug, place) =>
    renderTenant({
      directory: directory({
        ...{ tenant: { id: place + 1, slug }, limits, ofExtension: limits, trunks, queues: [queue('800')] },
        extensions: [extension('101', { hasVoicemail: true })],
        routes: [{ id: 1, tenant_id: null, prefix: '', trunks: ['one'] }],
      }),
      used: { tenant: NOTHING_USED, extensions: () => new Set(), extension: () => NOTHING_USED },
      ...{ ratedPrefixes: ['38050'], reader: 'tl-read-1' },
    }),
  )
  return renderFiles({ tenants, telephones: [], trunks, readers: new Map() }).files
}

test('no part of one tenant’s dialplan has the name of another’s, whatever their slugs end in', () => {
  const { extensions } = filesOfSlugs('acme', 'acme-0', 'acme-38')
  const names: readonly string[] = extensions.match(/^\[.+\]$/gm) ?? []
  assert.ok(names.some(name => name.includes('permit-acme')) && names.some(name => name.includes('rated-acme')))
  assert.deepEqual(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
  )
})

test('tenants whose slugs differ in capitals alone share no queue, mailbox or count of calls', () => {
  const { extensions, queues, voicemail } = filesOfSlugs('acme', 'ACME', 'Acme')
  const groups = [...extensions.matchAll(/GROUP\(tl_tenant\)=([^)]+)\)/g)].map(([, name]) => name ?? '')
  for (const [what, found] of [
    ['queue', queues.match(/^\[.+\]$/gm) ?? []],
    ['mailbox', voicemail.match(/^\[.+\]$/gm) ?? []],
    ['group', [...new Set(groups)]],
  ] as const)
    assert.equal(new Set(found.map(name => name.toLowerCase())).size, 3, `${what}: ${found.join()}`)
})

test('the calls of a tenant are recognised by its whole slug', () => {
  const channels = channelsIn(
    ['PJSIP/acme-101-0000002a', 'PJSIP/acme-west-101-0000002b', 'PJSIP/_acme-0000002c'].map(
      name => new Map([['channel', [name]]]),
    ),
  )
  assert.deepEqual(
    channels.map(channel => belongsTo(channel, new Set(['acme']))),
    [true, false, false],
  )
})

test('the lamps of a tenant show its own phones: what is asked for becomes the name of a device only if it is digits', () => {
  const { extensions } = rendered({
    extensions: [extension('101'), extension('102'), extension('2001'), extension('*5')],
  })
  assert.deepEqual(extensions.match(/^exten => .*,hint,.*$/gm), [
    `exten => _XXX,hint,PJSIP/acme-\u0024{EXTEN}`,
    `exten => _XXXX,hint,PJSIP/acme-\u0024{EXTEN}`,
  ])
})

describe('a phone is not called at an address that a carrier would take for a number', () => {
  const plan = readDialplan(filesOf({}).files.extensions)
  const isCalled = (uri: string, own = '101'): boolean => {
    const steps = run(plan, { context: 'test', exten: '1', uri, variables: { TL_EXT: own } })
    return steps.at(-1)?.args === 'called'
  }
  plan.contexts.set(
    'test',
    new Map([
      [
        '1',
        [
          { label: null, app: 'Gosub', args: 'tl-phone,s,1()' },
          { label: null, app: 'Hangup', args: 'called' },
        ],
      ],
    ]),
  )
  for (const user of ['+380901112233', '00380901112233', '%2B380901112233', '(090)1112233', '0901112233x', '102', '*1'])
    test(`such as ${user}`, () => assert.ok(!isCalled(`sip:${user}@203.0.113.9:5060`)))
  for (const user of ['acme-101', '101', '101-0x5581a4c0', 'x7', '48fj3k', '_a'])
    test(`unlike ${user}`, () => assert.ok(isCalled(`sip:${user}@192.0.2.7:5062`)))
  test('even if an extension has that number', () => {
    assert.ok(!isCalled('sip:0901112233@203.0.113.9', '0901112233'))
  })
  test('unlike one without a user', () => {
    assert.ok(isCalled('sips:192.0.2.7:5061'))
  })
})

test('a phone that registers several addresses cannot name another channel to dial with them', () => {
  const { files } = filesOf({ tenant: { slug: 'a.b' }, extensions: [extension('101', { devices: 2 })] })
  const dialled = (registered: string): string | undefined =>
    run(readDialplan(files.extensions), {
      ...{ context: 'tenant-a.b', exten: '101', accountcode: 'a.b', variables: { TL_EXT: '101' } },
      registered: new Map([['a.b-101', registered]]),
    })[0]?.args.replace(/,60,.*/, '')
  const honest = 'PJSIP/a.b-101/sip:u@192.0.2.7:5062&PJSIP/a.b-101/sip:u@[2001:db8::7]:5062;ob'
  assert.equal(dialled(honest), honest)
  for (const forged of [
    'sip:u&PJSIP/beta-101@192.0.2.7',
    'sip:u&Local/0901112233@trunks-beta-0',
    'sip:u&PJSIP/axb-101/sip:u@192.0.2.7',
    'sip:u,60,b(x^1)@192.0.2.7',
  ])
    assert.equal(dialled(`PJSIP/a.b-101/${forged}`), 'PJSIP/a.b-101', forged)
  assert.equal(dialled(''), 'PJSIP/a.b-101')
})

test('a setup has new passwords, and only SIP and RTP listen beyond the loopback', () => {
  const [one, other] = [1, 2].map(() => asteriskSetup({ out: '/tmp/x', address: null }))
  const textOf = (path: string): string => one?.files.find(file => file.path === path)?.text ?? ''
  assert.notEqual(textOf('manager.conf'), other?.files.find(file => file.path === 'manager.conf')?.text)
  assert.match(textOf('manager.conf'), /^bindaddr = 127\.0\.0\.1$/m)
  assert.doesNotMatch(textOf('modules.conf'), /http|ari|curl|system|agi/)
  const secret = /^secret = (.{32})$/m.exec(textOf('manager.conf'))?.[1]
  assert.ok(secret !== undefined && textOf('trunkline.json').includes(secret))
})

test('a setup with telephones in a database maps each type of object, and says who makes the file', () => {
  const { files, steps } = asteriskSetup({ out: '/tmp/x', address: null, telephones: 'database' })
  const textOf = (path: string): string => files.find(file => file.path === path)?.text ?? ''
  for (const type of ['endpoint', 'aor', 'auth']) {
    assert.match(textOf('sorcery.conf'), new RegExp(`^${type} = config,pjsip.conf,criteria=type=${type}$`, 'm'))
    assert.match(textOf('sorcery.conf'), new RegExp(`^${type} = realtime,tl_${type}s$`, 'm'))
    assert.match(textOf('extconfig.conf'), new RegExp(`^tl_${type}s => sqlite3,trunkline,tl_${type}s$`, 'm'))
  }
  const path = /^dbfile => (.+)$/m.exec(textOf('res_config_sqlite3.conf'))?.[1] ?? ''
  assert.ok(textOf('trunkline.json').includes(`"telephones_db": "${path}"`))
  assert.ok(steps.some(step => step.includes(`-m 0660 /dev/null ${path}`)))
  const inFile = asteriskSetup({ out: '/tmp/x', address: null })
  assert.ok(!JSON.stringify(inFile).includes('sqlite'))
})
