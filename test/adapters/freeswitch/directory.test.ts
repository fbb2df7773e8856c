// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what FreeSWITCH replaces is written so
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directory, extension, trunk } from '../../support/switching/directory.ts'
import {
  elementsIn,
  inviteForm,
  isNotFound,
  lookupsOf,
  proofOf,
  registerForm,
  valuesIn,
} from '../../support/switching/freeswitch.ts'

const PROOF = proofOf('101', 'acme.example.com', 's3cret-101')
const acme = directory({ extensions: [extension('101', { displayName: 'Front desk' }), extension('102')] })

test('a telephone that registers gets its secret, its context and its account code', async () => {
  const answer = await lookupsOf([acme]).ask(registerForm())
  assert.equal(elementsIn(answer, 'domain')[0]?.getAttribute('name'), 'acme.example.com')
  assert.equal(elementsIn(answer, 'user')[0]?.getAttribute('id'), '101')
  const { 'dial-string': dialled, 'vm-password': pin, ...others } = valuesIn(answer)
  assert.deepEqual(others, { 'a1-hash': PROOF, 'allow-empty-password': 'false', 'vm-enabled': 'false' })
  assert.match(pin ?? '', /^[\w-]{24}$/)
  assert.match(dialled ?? '', /\$\{sofia_contact\(\*\/101@acme\.example\.com\)\}$/)
  assert.deepEqual(valuesIn(answer, 'variable'), {
    ...{ user_context: 't-acme', accountcode: 'acme', trunkline_phone: '101@acme', 'sip-force-expires': '300' },
    ...{ effective_caller_id_name: 'Front desk', effective_caller_id_number: '101' },
    'send-message-query-on-register': 'false',
    ...{ 'sip-force-contact': '<sip:101@192.0.2.11:5062>', intercept_unbridged_only: 'true' },
  })
})

test('a telephone is called where its REGISTER came from, whatever it writes into Contact and Path', async () => {
  const contact = async (given: Record<string, string>): Promise<string | undefined> =>
    valuesIn(await lookupsOf([acme]).ask(registerForm(given)), 'variable')['sip-force-contact']
  assert.equal(
    await contact({ sip_contact_user: '101-0x7f3', sip_contact_host: '198.51.100.9', sip_via_protocol: 'tcp' }),
    '<sip:101-0x7f3@192.0.2.11:5062;transport=tcp>',
  )
  assert.match((await contact({ sip_via_protocol: 'tls' })) ?? '', /;transport=tls>$/)
  for (const user of ['x,[process_cdr=false]sofia/external/1900', '${system(reboot)}', 'x|y', 'a b', "'", '', 'x>'])
    assert.equal(await contact({ sip_contact_user: user }), '<sip:101@192.0.2.11:5062>', user)
  assert.equal(
    await contact({ ip: '2001:db8::11', sip_contact_host: '2001:db8::9', sip_via_protocol: 'tcp' }),
    '<sip:101@acme.example.com;transport=tcp;fs_path=sip%3A101%40%5B2001%3Adb8%3A%3A11%5D%3A5062%3Btransport%3Dtcp>',
  )
  assert.equal(await contact({ sip_auth_method: 'INVITE' }), undefined)
})

test('FreeSWITCH looks for the messages of a registering telephone if its extension has voicemail', async () => {
  const asked = async (hasVoicemail: boolean) => {
    const tenant = directory({ extensions: [extension('101', { hasVoicemail })] })
    return valuesIn(await lookupsOf([tenant]).ask(registerForm()), 'variable')['send-message-query-on-register']
  }
  assert.equal(await asked(true), undefined)
  assert.equal(await asked(false), 'false')
})

test('a telephone that places a call proves who it is, whomever it calls', async () => {
  assert.equal(valuesIn(await lookupsOf([acme]).ask(inviteForm()))['a1-hash'], PROOF)
})

test('a lookup of a called user, or of voicemail, is answered without the secret', async () => {
  for (const action of ['user_call', 'message-count', 'voicemail-lookup']) {
    const values = valuesIn(await lookupsOf([acme]).ask(registerForm({ action, sip_auth_method: '' })))
    assert.equal(values['a1-hash'], undefined, action)
    assert.equal(values['allow-empty-password'], 'false')
    assert.match(values['vm-password'] ?? '', /^[\w-]{24}$/, 'a random PIN')
  }
})

test('requests of other modules are not answered, since some take a missing secret for an empty one', async () => {
  for (const action of ['', 'jsonrpc-authenticate', 'group_call', 'reverse-auth-lookup'])
    assert.ok(isNotFound(await lookupsOf([acme]).ask(registerForm({ action }))), action)
  assert.ok(isNotFound(await lookupsOf([acme]).ask(registerForm({ purpose: 'network-list', action: '' }))))
})

test('a host that a call is redirected to counts as its own, so that it asks where the call goes', async () => {
  const asked = { section: 'directory', tag_name: 'domain', key_name: 'name', key_value: '198.51.100.9' }
  const answer = await lookupsOf([acme]).ask(asked)
  assert.equal(elementsIn(answer, 'domain')[0]?.getAttribute('name'), '198.51.100.9')
  assert.equal(elementsIn(answer, 'user').length, 0)
  const called = await lookupsOf([acme]).ask(registerForm({ action: 'user_call', sip_auth_method: '' }))
  assert.match(valuesIn(called)['dial-string'] ?? '', /:sip_redirect_context=t-acme:/)
})

test('a suspended, disabled or unknown user is not found, and the reason is reported', async () => {
  const suspended = directory({ tenant: { status: 'suspended' } })
  const disabled = directory({ extensions: [extension('101', { status: 'disabled' })] })
  for (const [tenants, refusal] of [
    [[suspended], 'tenant not active'],
    [[disabled], 'extension not active'],
    [[directory({ extensions: [] })], 'unknown extension'],
    [[], 'unknown tenant'],
  ] as const)
    for (const [what, form] of [
      ['register', registerForm()],
      ['prove', inviteForm()],
    ] as const) {
      const lookups = lookupsOf(tenants)
      assert.ok(isNotFound(await lookups.ask(form)))
      assert.deepEqual(lookups.refusals, [`${what}: ${refusal}`])
    }
})

test('the gateways are those of the active trunks, each with a name that changes with what it is made of', async () => {
  const asked = { section: 'directory', purpose: 'gateways', profile: 'external' }
  const one = trunk('carrier-one', {
    host: '198.51.100.9',
    port: 5080,
    username: 'us$er',
    secret: 'p"w',
    registers: true,
  })
  const off = trunk('carrier-off', { status: 'disabled' })
  const tcp = trunk('carrier-tcp', { transport: 'tcp', host: '2001:db8::1' })
  const world = directory({ trunks: [one, off, tcp] })
  const answer = await lookupsOf([world]).ask(asked)
  const names = (text: string): string[] => elementsIn(text, 'gateway').map(each => each.getAttribute('name') ?? '')
  assert.match(names(answer).join(), /^carrier-one-[0-9a-f]{8},carrier-tcp-[0-9a-f]{8}$/)
  const values = elementsIn(answer, 'gateway').map(each => valuesIn(String(each)))
  assert.deepEqual(values, [
    {
      ...{ proxy: '198.51.100.9:5080', realm: '198.51.100.9', username: 'us$er', password: 'p"w', register: 'true' },
      ...{ extension: 'auto_to_user', 'retry-seconds': '30', 'caller-id-in-from': 'true' },
    },
    {
      ...{ proxy: '[2001:db8::1]:5060;transport=tcp', 'register-transport': 'tcp', realm: '2001:db8::1' },
      ...{ register: 'false', 'caller-id-in-from': 'true' },
    },
  ])
  const changed = directory({ trunks: [{ ...one, secret: 'another' }, off, tcp] })
  const [before, after] = [names(answer), names(await lookupsOf([changed]).ask(asked))]
  assert.notEqual(before[0], after[0])
  assert.equal(before[1], after[1])
})
