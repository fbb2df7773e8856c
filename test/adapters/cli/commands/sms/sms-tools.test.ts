import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { type FakeGateway, startGateway } from '../../../../support/messaging/gateway.ts'

let place: Workplace
let gateway: FakeGateway
let other: FakeGateway
before(async () => {
  place = workplace()
  gateway = await startGateway()
  other = await startGateway()
  await furnish(place)
  await place.done(`trunkline gateway update Jasmin --server-port ${gateway.port}`)
  await place.done(
    `trunkline gateway create --name Other --provider-type x --server-host 127.0.0.1 --server-port ${other.port} --username u --password-file -`,
    { input: 'pa55\n' },
  )
})
after(async () => {
  await gateway.close()
  await other.close()
  place.remove()
})

const SEND = 'trunkline sms send --to +380501234567 --from ACME --message Hello'

describe('routes of messages', () => {
  it('are set, listed and removed', async () => {
    await place.done('trunkline sms route set Jasmin Other --tenant acme --prefix +380')
    await place.done('trunkline sms route set Other --tenant acme --prefix 380')
    const [route, ...others] = await place.json('trunkline sms route list')
    assert.deepEqual([route.tenant, route.prefix, route.gateways, others], ['acme', '380', 'Other', []])
    await place.done(`trunkline sms route remove ${route.id}`)
    assert.deepEqual(await place.json('trunkline sms route list'), [])
    assert.equal((await place.run(`trunkline sms route remove ${route.id}`)).code, 67)
    assert.equal((await place.run('trunkline sms route set Other --prefix x')).code, 64)
  })

  it('lead a message to the next gateway if the first refuses it, and the command says so', async () => {
    await place.done('trunkline sms route set Jasmin Other --prefix 380')
    gateway.answerWith(403, '{"message":"no credit"}')
    other.answerWith(200, '{"message_id":"o-1"}')
    const { code, stdout, stderr } = await place.run(`${SEND} --output json`)
    assert.equal(code, 0, stderr)
    assert.match(
      stderr,
      /^refused {4}by Jasmin: HTTP 403: no credit\nsubmitted {2}after \S+ s, through Other, as message \d+ \(o-1\)$/m,
    )
    const { external_message_id, tries } = JSON.parse(stdout)
    assert.deepEqual([external_message_id, tries[0].gateway], ['o-1', 1])
    const away = await place.run(SEND.replace('+380', '+49'))
    assert.match(away.stderr, /No route leads to \+49501234567/)
  })
})

describe('messages that were sent', () => {
  it('are sent again if they failed, but not while their outcome is unknown', async () => {
    gateway.answerWith(503, '{"message":"later"}')
    const failed = JSON.parse((await place.run(`${SEND} --gateway Jasmin --output json`)).stdout)
    assert.equal(failed.status_class, 'failed')
    gateway.answerWith(200, '{"message_id":"again"}')
    const again = await place.json(`trunkline sms resend ${failed.id}`)
    assert.deepEqual([again.resend_of, again.external_message_id], [failed.id, 'again'])
    const refused = await place.run(`trunkline sms resend ${again.id}`)
    assert.deepEqual([refused.code, /did not fail: it is submitted/.test(refused.stderr)], [65, true])
    gateway.answer(response => void response.socket?.destroy())
    const lost = JSON.parse((await place.run(`${SEND} --gateway Jasmin --output json`)).stdout)
    assert.equal(lost.status_class, 'unknown')
    assert.equal((await place.run(`trunkline sms resend ${lost.id}`)).code, 65)
    other.answerWith(200, '{"message_id":"forced"}')
    const forced = await place.json(`trunkline sms resend ${lost.id} --force --gateway Other`)
    assert.equal(forced.external_message_id, 'forced')
  })

  it('are counted by gateway, tenant and outcome, with their parts', async () => {
    gateway.answerWith(200, '{"message_id":"long"}')
    await place.done(
      `trunkline sms send --gateway Jasmin --tenant acme --to +1555 --from ACME --message ${'a'.repeat(200)}`,
    )
    const rows = await place.json('trunkline sms report')
    const acme = rows.find(({ tenant }: { tenant: string }) => tenant === 'acme')
    assert.deepEqual(acme, { gateway: 'Jasmin', tenant: 'acme', status_class: 'pending', messages: 1, parts: 2 })
    assert.deepEqual(await place.json('trunkline sms report --month 2020-01'), [])
  })

  it('make their gateway suspect if several in a row fail', async () => {
    gateway.answerWith(500, '')
    for (let i = 0; i < 5; i++) await place.run(`${SEND} --gateway Jasmin`)
    const kinds = async () =>
      JSON.parse((await place.run('trunkline doctor --output json')).stdout).map(({ kind }: { kind: string }) => kind)
    assert.ok((await kinds()).includes('gateway_suspect'))
    const { sms } = await place.json('trunkline status')
    const { pending, ...others } = sms
    assert.ok(pending > 0)
    assert.deepEqual(others, { overdue: 0, suspect_gateways: ['Jasmin'], routes: 1 })
    assert.match(
      await place.done('trunkline status'),
      /^SMS pending {12}\d\nSMS overdue {12}0\nSMS suspect {12}1 {2}trunkline doctor\n {26}Jasmin\nSMS routes {13}1\n$/m,
    )
    gateway.answerWith(200, '{"message_id":"well"}')
    await place.done(`${SEND} --gateway Jasmin`)
    assert.ok(!(await kinds()).includes('gateway_suspect'))
  })
})
