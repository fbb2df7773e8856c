import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayOf } from '../../../adapters/freeswitch/names.ts'
import type { SwitchDid } from '../../../core/switching/directory.ts'
import { did, directory, extension, queue, trunk } from '../../support/switching/directory.ts'
import {
  actionsIn,
  callForm,
  didForm,
  elementsIn,
  isNotFound,
  KEY,
  lookupsOf,
} from '../../support/switching/freeswitch.ts'

const one = trunk('carrier-one', { host: '198.51.100.9', codecs: ['PCMA', 'G722'] })
const two = trunk('carrier-two')
const extensions = [extension('101'), extension('102', { hasVoicemail: true }), extension('103')]
const didTo = (...targets: SwitchDid['targets']): SwitchDid =>
  did('+380441234567', targets, { provider: 'carrier-one' })
const acme = directory({
  extensions,
  trunks: [one, two],
  queues: [queue('800', { agents: [{ extension: '101', penalty: 0 }] })],
  dids: [didTo({ type: 'extension', number: '102' })],
})

const hosts = { 'carrier-two.example.com': ['198.51.100.20'] }
const asked = async (form: Record<string, string>, world = acme) => {
  const lookups = lookupsOf([world], { hosts })
  return { ...lookups, answer: await lookups.ask(form) }
}

test('the answer is in the context that was asked for', async () => {
  const { answer } = await asked(callForm())
  assert.deepEqual(
    elementsIn(answer, 'context').map(each => each.getAttribute('name')),
    ['t-acme'],
  )
})

test('a call to an extension rings it, and then goes to its voicemail', async () => {
  const { answer, refusals } = await asked(callForm())
  assert.deepEqual(actionsIn(answer), [
    'set accountcode=acme',
    'set call_direction=inbound',
    'set trunkline_call=internal',
    'set presence_data=trunkline:acme:internal:101::102',
    'set force_transfer_context=t-acme',
    'export trunkline_placer=101@acme',
    'set_profile_var caller_id_number=101',
    'set hangup_after_bridge=true',
    'set execute_on_answer_unasked=eval',
    'set continue_on_fail=true',
    'set call_timeout=25',
    'bridge user/102@acme.example.com',
    'answer',
    'voicemail default acme.example.com 102',
  ])
  assert.deepEqual(refusals, [])
})

test('an extension that dials *97 hears its own messages without a PIN, and nobody who is sent there does', async () => {
  const fetching = (given: Record<string, string>): Record<string, string> =>
    callForm({ 'Hunt-Destination-Number': '*97', variable_user_name: '102', ...given })
  const { answer } = await asked(fetching({}))
  assert.deepEqual(actionsIn(answer).slice(-4), [
    'answer',
    'set voicemail_authorized=true',
    'set voicemail_callback_context=t-acme',
    'voicemail check default acme.example.com 102',
  ])
  for (const sentOn of [
    { variable_trunkline_call: 'internal' },
    { variable_user_name: '', variable_trunkline_phone: '102@acme' },
    { variable_user_name: '101' },
  ]) {
    const { answer: refusal, refusals } = await asked(fetching(sentOn))
    assert.doesNotMatch(actionsIn(refusal).join(), /voicemail/)
    assert.deepEqual(refusals, ['call: no voicemail'])
  }
})

test('the last target ends the call with its own cause', async () => {
  const { answer } = await asked(callForm({ 'Hunt-Destination-Number': '103' }))
  assert.deepEqual(actionsIn(answer).slice(-3), [
    'set continue_on_fail=false',
    'set call_timeout=60',
    'bridge user/103@acme.example.com',
  ])
})

test('a call to a queue waits there', async () => {
  const { answer } = await asked(callForm({ 'Hunt-Destination-Number': '800' }))
  assert.equal(actionsIn(answer).at(-1), 'callcenter 800@acme')
})

test("a call out is recorded by the carrier's leg alone, and goes to the next carrier where one does not take it", async () => {
  const { answer } = await asked(callForm({ 'Hunt-Destination-Number': '0501112233' }))
  const actions = actionsIn(answer)
  assert.ok(actions.includes('set process_cdr=false'))
  assert.ok(actions.includes('set sip_copy_custom_headers=false'))
  assert.match(actions.find(each => each.startsWith('set continue_on_fail=')) ?? '', /NORMAL_TEMPORARY_FAILURE/)
  assert.doesNotMatch(actions.find(each => each.startsWith('set continue_on_fail=')) ?? '', /USER_BUSY|NO_ANSWER/)
  const variables =
    'process_cdr=true,force_process_cdr=true,call_direction=outbound,hangup_after_bridge=true,execute_on_answer_unasked=eval,accountcode=acme,' +
    'trunkline_dialled=+380501112233,trunkline_extension=101,trunkline_phone=101@acme,force_transfer_context=t-acme,' +
    'presence_data=trunkline:acme:outbound:101:carrier-one:+380501112233,progress_timeout=20,outbound_redirect_fatal=true,' +
    "origination_caller_id_number=+380441234567,origination_caller_id_name=+380441234567,absolute_codec_string='PCMA,G722'"
  assert.deepEqual(
    actions.filter(each => each.startsWith('bridge')),
    [
      `bridge {${variables}}sofia/gateway/${gatewayOf(one, KEY)}/+380501112233`,
      `bridge {${variables
        .replace('carrier-one', 'carrier-two')
        .replace(",absolute_codec_string='PCMA,G722'", '')}}sofia/gateway/${gatewayOf(two, KEY)}/+380501112233`,
    ],
  )
  assert.equal(actions.at(-2), 'respond 503 Service Unavailable')
})

test("a call out ends at the tenant's longest duration, also when its caller has transferred it and left", async () => {
  const limited = directory({ extensions, trunks: [one], limits: { maxSeconds: 600 } })
  const { answer } = await asked(callForm({ 'Hunt-Destination-Number': '0501112233' }), limited)
  assert.match(actionsIn(answer).join('\n'), /\{[^}]*execute_on_answer='sched_hangup \+600 ALLOTTED_TIMEOUT'/)
})

test('a call for a DID goes along its routes, each tried when the one before does not take it', async () => {
  const routed = directory({
    extensions,
    trunks: [one],
    queues: [queue('800')],
    dids: [didTo({ type: 'extension', number: '103' }, { type: 'queue', number: '800' })],
  })
  const { answer } = await asked(didForm(), routed)
  assert.deepEqual(actionsIn(answer), [
    'set accountcode=acme',
    'set call_direction=inbound',
    'set trunkline_call=inbound',
    'set presence_data=trunkline:acme:inbound:::+380441234567',
    'set force_transfer_context=t-acme',
    'set hangup_after_bridge=true',
    'set execute_on_answer_unasked=eval',
    'set trunkline_phone=103@acme',
    'set continue_on_fail=true',
    'set call_timeout=25',
    'bridge user/103@acme.example.com',
    'set trunkline_phone=',
    'callcenter 800@acme',
  ])
})

test('a call for a DID is put through from its trunk, known by address, by name or by gateway, and from nowhere else', async () => {
  const refusedFrom = async (form: Record<string, string>, provider: string): Promise<string[]> => {
    const dids = [did('+380441234567', [{ type: 'extension', number: '102' }], { provider })]
    return (await asked(form, directory({ extensions, trunks: [one, two], dids }))).refusals
  }
  const from = (variable_sip_network_ip: string): Record<string, string> => didForm({ variable_sip_network_ip })
  assert.deepEqual(await refusedFrom(from('198.51.100.9'), 'carrier-one'), [])
  assert.deepEqual(await refusedFrom(from('198.51.100.20'), 'carrier-two'), [])
  assert.deepEqual(await refusedFrom(from('198.51.100.20'), 'carrier-one'), ['call: DID of another trunk'])
  assert.deepEqual(await refusedFrom(from('203.0.113.1'), 'carrier-one'), ['call: DID of another trunk'])
  assert.deepEqual(await refusedFrom(from('203.0.113.1'), 'no trunk of ours'), [])
  const byGateway = { ...from('203.0.113.1'), variable_sip_gateway: gatewayOf(two, KEY) }
  assert.deepEqual(await refusedFrom(byGateway, 'carrier-two'), [])
  assert.deepEqual(await refusedFrom({ ...byGateway, variable_sip_gateway: 'carrier-two-00000000' }, 'carrier-two'), [
    'call: DID of another trunk',
  ])
})

test('a call without a target is refused and leaves no record', async () => {
  const refused = async (form: Record<string, string>): Promise<string[]> => actionsIn((await asked(form)).answer)
  assert.deepEqual(await refused(didForm({ 'Hunt-Destination-Number': '380449999999' })), [
    'set process_cdr=false',
    'respond 404 Not Found',
    'hangup CALL_REJECTED',
  ])
  assert.equal((await refused(callForm({ 'Hunt-Destination-Number': '999' })))[1], 'respond 404 Not Found')
  const suspended = await asked(callForm(), directory({ tenant: { status: 'suspended' } }))
  assert.equal(actionsIn(suspended.answer)[1], 'respond 403 Forbidden')
  assert.deepEqual(suspended.refusals, ['call: tenant not active'])
})

test('a leg that has a record keeps it wherever it is sent on', async () => {
  const carriers = {
    variable_user_name: '',
    variable_trunkline_phone: '101@acme',
    variable_trunkline_dialled: '+380501112233',
  }
  for (const dialled of ['102', '0501112233', '999']) {
    const { answer } = await asked(callForm({ ...carriers, 'Hunt-Destination-Number': dialled }))
    assert.ok(!actionsIn(answer).includes('set process_cdr=false'), dialled)
  }
})

test("a carrier's leg stays an outgoing call on its trunk wherever it is sent on, since it goes on costing", async () => {
  const carriers = { variable_user_name: '', variable_trunkline_phone: '101@acme', variable_trunkline_dialled: '+3805' }
  for (const dialled of ['102', '800', '0501112233']) {
    const { answer } = await asked(callForm({ ...carriers, 'Hunt-Destination-Number': dialled }))
    const actions = actionsIn(answer).filter(each => each.startsWith('set'))
    assert.doesNotMatch(actions.join('\n'), /presence_data|call_direction|trunkline_call|accountcode/, dialled)
  }
})

test('an agent whose telephone redirects a call of the queue is not reached', async () => {
  const { answer } = await asked({ section: 'configuration', key_value: 'callcenter.conf', 'CC-Queue': '800@acme' })
  const [agent] = elementsIn(answer, 'agent')
  assert.match(agent?.getAttribute('contact') ?? '', /^\[[^\]]*outbound_redirect_fatal=true\]user\/101@/)
})

test('a telephone that sends on the one it has called does so as itself, not as the called one', async () => {
  const called = { variable_user_name: '', variable_accountcode: 'acme', variable_trunkline_phone: '102@acme' }
  const placed = { variable_trunkline_placer: '101@acme', 'Hunt-Destination-Number': '0501112233' }
  const { answer } = await asked(callForm({ ...called, ...placed }))
  assert.match(actionsIn(answer).join('\n'), /trunkline_extension=101,/)
})

test('a call to a DID that is sent on belongs to whoever answered it', async () => {
  const sentOn = {
    variable_accountcode: 'acme',
    variable_trunkline_phone: '102@acme',
    variable_trunkline_call: 'inbound',
  }
  for (const context of ['public', 't-acme']) {
    const { answer } = await asked(
      didForm({ ...sentOn, 'Hunt-Context': context, 'Hunt-Destination-Number': '0501112233' }),
    )
    assert.match(actionsIn(answer).join('\n'), /trunkline_extension=102/)
  }
  const { refusals } = await asked(didForm({ 'Hunt-Context': 't-acme', 'Hunt-Destination-Number': '102' }))
  assert.deepEqual(refusals, ['call: unknown extension'])
})

test('a foreign context is left to the static files', async () => {
  assert.ok(isNotFound((await asked(callForm({ 'Hunt-Context': 'nobody' }))).answer))
})

test('calls that were put through count for the limit on concurrent ones before the switch shows them', async () => {
  const lookups = lookupsOf([directory({ extensions, limits: { most: { concurrent_calls: 2 } } })])
  const call = (id: string): Promise<string> =>
    lookups.ask(callForm({ 'Unique-ID': id, 'Hunt-Destination-Number': '103' }))
  for (const id of ['1', '2', '3', '2']) await call(id)
  assert.deepEqual(lookups.refusals, ['call: limit reached'])
})

test('calls of the same moment count for the limit on concurrent ones', async () => {
  const lookups = lookupsOf([directory({ extensions, limits: { most: { concurrent_calls: 2 } } })])
  const forms = ['1', '2', '3', '4'].map(id => callForm({ 'Unique-ID': id, 'Hunt-Destination-Number': '103' }))
  await Promise.all(forms.map(lookups.ask))
  assert.deepEqual(lookups.refusals, ['call: limit reached', 'call: limit reached'])
})

test('calls inside that are redirected outside count for the limits on calls out at once', async () => {
  const lookups = lookupsOf([directory({ extensions, limits: { most: { calls_per_hour: 2 } } })])
  const ids = ['1', '2', '3', '4']
  for (const id of ids) await lookups.ask(callForm({ 'Unique-ID': id, 'Hunt-Destination-Number': '103' }))
  const inside = {
    tenant: 'acme',
    extension: '101',
    from: '101',
    to: '103',
    direction: 'internal',
    trunk: null,
  } as const
  const moments = { startedAt: '2026-01-01T00:00:00.000000Z', answeredAt: null }
  const reported = ids.map(id => ({ id, ...inside, ...moments }))
  lookups.parts.live.shown(reported, 1_000)
  const redirected = { variable_trunkline_call: 'internal', 'Hunt-Destination-Number': '0501112233' }
  await lookups.ask(callForm({ ...redirected, 'Unique-ID': '1' }))
  // It was requested before.
  lookups.parts.live.shown(reported, -1)
  for (const id of ['2', '3', '4']) await lookups.ask(callForm({ ...redirected, 'Unique-ID': id }))
  assert.deepEqual(lookups.refusals, ['call: limit reached', 'call: limit reached'])
})
