// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what FreeSWITCH replaces is written so
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { did, directory, extension, queue, trunk } from '../../support/switching/directory.ts'
import {
  actionsIn,
  callForm,
  didForm,
  documentIn,
  inviteForm,
  isNotFound,
  lookupsOf,
  proofOf,
  registerForm,
  valuesIn,
} from '../../support/switching/freeswitch.ts'

const acme = directory()
const beta = directory({
  tenant: { id: 2, slug: 'beta', domain: 'beta.example.com' },
  extensions: [extension('101', { secret: 'of beta' }), extension('107')],
})

describe('attacks on the lookups', () => {
  test('an extension without a secret, or with an empty one, is not found', async () => {
    for (const secret of ['', ' ', '\t\n'])
      for (const form of [registerForm(), inviteForm()]) {
        const lookups = lookupsOf([directory({ extensions: [extension('101', { secret })] })])
        assert.ok(isNotFound(await lookups.ask(form)))
        assert.match(lookups.refusals.join(), /no secret/)
      }
  })

  test("a telephone registers no number but its own, neither another tenant's nor its neighbour's", async () => {
    const betas = { user: '101', domain: 'beta.example.com', sip_auth_realm: 'beta.example.com' }
    assert.equal(
      valuesIn(await lookupsOf([acme, beta]).ask(registerForm({ ...betas, sip_to_host: 'beta.example.com' })))[
        'a1-hash'
      ],
      proofOf('101', 'beta.example.com', 'of beta'),
    )
    for (const to of [
      { sip_to_user: '101', sip_to_host: 'acme.example.com' },
      { sip_to_user: '107', sip_to_host: 'beta.example.com' },
      { sip_to_user: '', sip_to_host: '' },
    ]) {
      const lookups = lookupsOf([acme, beta])
      assert.ok(isNotFound(await lookups.ask(registerForm({ ...betas, ...to }))), JSON.stringify(to))
      assert.deepEqual(lookups.refusals, ['register: not its own number'])
    }
    const { sip_to_user: _, sip_to_host: __, ...without } = registerForm(betas)
    assert.ok(isNotFound(await lookupsOf([acme, beta]).ask(without)))
  })

  test('the caller is the authenticated extension, whatever From says', async () => {
    const forged = { 'Hunt-Caller-ID-Number': '999', 'Caller-Caller-ID-Number': '999', variable_sip_from_user: '999' }
    const actions = actionsIn(await lookupsOf([acme]).ask(callForm(forged)))
    assert.ok(actions.includes('set_profile_var caller_id_number=101'))
    assert.doesNotMatch(actions.join(), /999/)
    const others = lookupsOf([acme, beta])
    assert.ok(isNotFound(await others.ask(callForm({ variable_accountcode: 'beta' }))))
  })

  test('no text of a tenant becomes part of what a dialplan runs', async () => {
    const nasty = fc.oneof(
      fc.constantFrom('${system(reboot)}', '101,102', '[a=b]', '800@beta', '{x=y}', '8 00', '', '|', '800\n'),
      fc.string({ unit: fc.constantFrom('$', '{', '}', '1', ',', '@', '|', ' ', "'", '+') }),
    )
    await fc.assert(
      fc.asyncProperty(nasty, nasty, async (number, name) => {
        const world = directory({
          extensions: [extension('101', { displayName: name }), extension(number, { displayName: name })],
          queues: [queue(`${number}0`, { name })],
          dids: [did('+380441234567', [{ type: 'extension', number }], { provider: name })],
          trunks: [trunk(name), trunk('carrier-one', { codecs: ['PCMA'] })],
        })
        for (const dialled of [number, `${number}0`, '0501112233'])
          for (const form of [callForm({ 'Hunt-Destination-Number': dialled }), didForm()])
            for (const data of actionsIn(
              await lookupsOf([world], { hosts: { [`${name}.example.com`]: [] } }).ask(form),
            ))
              assert.doesNotMatch(data, /\$|\[|8 00|system/, data)
      }),
      { numRuns: 200 },
    )
  })

  test("a call that a telephone sends on follows its tenant's rules again", async () => {
    const blocked = directory({ limits: { blockedPrefixes: ['38050'] } })
    const lookups = lookupsOf([blocked])
    const redirected = callForm({ 'Hunt-Destination-Number': '0501112233', 'Caller-Destination-Number': '102' })
    assert.equal(
      actionsIn(await lookups.ask({ ...redirected, variable_trunkline_call: 'internal' }))[0],
      'respond 403 Forbidden',
    )
    assert.deepEqual(lookups.refusals, ['call: prefix blocked'])
  })

  test('no text of a secret reaches FreeSWITCH, which takes some for a directive and then lets anybody in', async () => {
    const secret = '<!--#exec "touch /tmp/marked"-->'
    const answer = await lookupsOf([directory({ extensions: [extension('101', { secret })] })]).ask(registerForm())
    assert.doesNotMatch(answer, /exec\b|marked/)
    assert.equal(valuesIn(answer)['password'], undefined)
    assert.equal(valuesIn(answer)['a1-hash'], proofOf('101', 'acme.example.com', secret))
  })

  test('directives of the preprocessor are only text', async () => {
    const secret = 'x$${domain}y<X-PRE-PROCESS cmd="exec" data="reboot"/>'
    const named = extension('101', { secret, displayName: 'X-PRE-PROCESS <!--#exec "reboot"-->' })
    const answer = await lookupsOf([directory({ extensions: [named] })]).ask(registerForm())
    assert.doesNotMatch(answer, /domain\}|reboot[^ ]*\/>/)
    assert.equal(valuesIn(answer)['a1-hash'], proofOf('101', 'acme.example.com', secret))
    assert.ok(documentIn(answer))
  })

  test('a domain in another case than the stored one is another domain', async () => {
    for (const domain of ['ACME.example.com', 'acme.example.com.', ' acme.example.com']) {
      const form = registerForm({ domain, sip_auth_realm: domain, sip_to_host: domain })
      assert.ok(isNotFound(await lookupsOf([acme]).ask(form)), domain)
    }
    const lookups = lookupsOf([directory({ tenant: { domain: 'ACME.example.com' } })])
    assert.ok(isNotFound(await lookups.ask(registerForm())))
  })
})
