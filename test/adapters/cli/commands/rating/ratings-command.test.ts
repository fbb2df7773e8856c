import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

describe('the ratings of a call', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
    writeFileSync(place.path('Master.csv'), asteriskRow())
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')} --quiet`)
  })
  after(() => place.remove())

  test('are the present one and each former one, with the time when it was replaced', async () => {
    const [{ id, cost }] = await place.json('trunkline cdr list --limit 1')
    const [{ id: rate, cost_per_minute, prefix, billing_increment }] = await place.json('trunkline rate list')
    await place.done(`trunkline rate update ${rate} --cost-per-minute 0.06`)
    await place.done('trunkline cdr rerate --tenant acme --yes')
    const [former, present, ...more] = await place.json(`trunkline cdr ratings ${id}`)
    const same = {
      direction: 'outbound',
      outcome: 'rated',
      prefix,
      billing_increment,
      bill_seconds: former.bill_seconds,
    }
    assert.deepEqual(former, { ...same, cost_per_minute, cost, replaced_at: former.replaced_at })
    assert.deepEqual(present, { ...same, cost_per_minute: '0.0600', cost: '0.1200', replaced_at: null })
    assert.match(former.replaced_at, /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(more, [])
  })

  test('are none for a call that no switch reported, and an unknown call ends with 67', async () => {
    const call = await place.json(
      "trunkline cdr create --tenant acme --caller-number 1 --destination-number 2 --direction inbound --disposition ANSWERED --duration-seconds 1 --bill-seconds 1 --cost 1 --started-at '2026-10-02 12:34:56'",
    )
    const { code, stderr } = await place.run(`trunkline cdr ratings ${call.id}`)
    assert.deepEqual([code, stderr], [0, 'no switch delivered this call: its cost was entered by hand\n'])
    assert.deepEqual(await place.json(`trunkline cdr ratings ${call.id}`), [])
    assert.equal((await place.run('trunkline cdr ratings 999')).code, 67)
  })
})
