import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
  await place.done('trunkline tenant update acme --settings-set dialling.country=UA')
  await place.done('trunkline trunk route set carrier-one')
})
after(() => place.remove())

const explained = async (words: string, code = 0) => {
  const ran = await place.run(`trunkline call explain ${words} --output json`)
  assert.equal(ran.code, code, ran.stderr)
  return JSON.parse(ran.stdout)
}

describe('call explain', () => {
  it('explains a call out step by step, with its trunk and its rate', async () => {
    const { steps, ...call } = await explained('acme 101 0501234567')
    assert.deepEqual(call, {
      ...{ tenant: 'acme', from: '101', dialled: '0501234567', refusal: null, direction: 'outbound' },
      ...{ number: '+380501234567', max_seconds: null },
      targets: [{ to: 'trunk', trunk: 'carrier-one', number: '+380501234567', caller: '+380441234567' }],
    })
    assert.ok(steps.some((step: unknown) => JSON.stringify(step) === '{"about":"rate","text":"380"}'))
    const { stdout } = await place.run('trunkline call explain acme 101 0501234567')
    assert.match(stdout, /^tenant {4}acme is active$/m)
    assert.match(stdout, /^goes to {3}trunk carrier-one as \+380501234567, shown as \+380441234567$/m)
  })

  it('shows no secret of an extension or a trunk', async () => {
    for (const form of ['', ' --output json'])
      for (const words of ['acme 101 0501234567', 'acme 101 101', '--did +380441234567'])
        assert.doesNotMatch((await place.run(`trunkline call explain ${words}${form}`)).stdout, /kW3-9fQm/)
  })

  it('explains a call to a DID, of any tenant or of the named one', async () => {
    for (const words of ['--did 380441234567', 'acme --did +380441234567 --from +12125550100'])
      assert.deepEqual((await explained(words)).targets, [{ to: 'extension', extension: '101', seconds: 60 }])
    assert.equal((await explained('--did 380440000000', 1)).refusal, 'unknown DID')
    await place.done('trunkline did update +380441234567 --provider carrier-one')
    assert.equal((await explained('--did 380441234567 --trunk carrier-one')).refusal, null)
  })

  it('takes a call to a DID to come from the trunk that must bring it, unless it names one', async () => {
    const trunk = 'trunk create --host sip.other.example.com --status active'
    await place.done(`trunkline ${trunk} --name carrier-two`)
    await place.done('trunkline did update +380441234567 --provider carrier-one')
    const { trunk: taken, refusal } = await explained('--did 380441234567')
    assert.deepEqual([taken, refusal], ['carrier-one', null])
    const { stderr } = await place.run('trunkline call explain --did 380441234567')
    assert.match(stderr, /^as a call that trunk carrier-one brings/)
    assert.equal((await explained('--did 380441234567 --trunk carrier-two', 1)).refusal, 'DID of another trunk')
  })

  it('gives the reason of a refusal, and ends with 1', async () => {
    await place.done('trunkline tenant update acme --status suspended')
    const refused = await explained('acme 101 0501234567', 1)
    assert.deepEqual([refused.refusal, refused.reason], ['tenant not active', 'tenant acme is suspended'])
    await place.done('trunkline tenant update acme --status active')
    assert.equal((await explained('acme 999 0501234567', 1)).refusal, 'unknown extension')
  })

  it('names the command that shows the setting behind a refusal', async () => {
    await place.done('trunkline tenant update acme --settings-set \'limits.blocked_prefixes=["+44"]\'')
    const { stderr } = await place.run('trunkline call explain acme 101 +442071234567')
    assert.match(stderr, /trunkline tenant show acme --fields settings/)
    const fields = await place.done('trunkline tenant show acme --fields settings')
    assert.match(fields, /blocked_prefixes/)
  })

  it('needs an extension and a number, or a DID', async () => {
    for (const words of [
      'acme 101',
      'acme',
      'acme 101 102 --trunk carrier-one',
      'acme 101 --did 1',
      'acme 101 102 103',
    ])
      assert.equal((await place.run(`trunkline call explain ${words}`)).code, 64, words)
  })
})
