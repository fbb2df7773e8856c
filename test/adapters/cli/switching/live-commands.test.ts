import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { addSeconds, formatTimestamp } from '../../../../core/dates.ts'
import type { LiveCall, Phone } from '../../../../core/ports/switching.ts'
import { furnish, type RunOptions, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { aCall, aPhone, heldSwitch, withSwitches } from '../../../support/cli/switches.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const phone = (tenant: string | null, extension: string): Phone => ({ ...aPhone, tenant, extension })

const now = formatTimestamp(Date.now(), 0)
const call = (id: string, values: Partial<LiveCall> = {}): LiveCall => ({
  ...{ ...aCall, id, startedAt: addSeconds(now, -100), answeredAt: addSeconds(now, -90) },
  ...values,
})

describe('trunkline phones', () => {
  it('shows what is registered, of all switches', async () => {
    const options = withSwitches(
      { phones: [phone('acme', '101')] },
      { kind: 'asterisk', phones: [phone('beta', '102')] },
    )
    assert.equal(
      await place.done('trunkline phones', options),
      'acme\t101\t192.0.2.7:5060\tYealink T46U 66.85\t2026-11-22T10:00:00.000000Z\tfreeswitch\n' +
        'beta\t102\t192.0.2.7:5060\tYealink T46U 66.85\t2026-11-22T10:00:00.000000Z\tasterisk\n',
    )
    const [first] = await place.json('trunkline phones --tenant acme', options)
    assert.deepEqual(first, {
      ...{ tenant: 'acme', extension: '101', address: '192.0.2.7:5060', agent: 'Yealink T46U 66.85' },
      ...{ expires_at: '2026-11-22T10:00:00.000000Z', switch: 'freeswitch' },
    })
  })

  it('shows those of one tenant', async () => {
    const options = withSwitches({ phones: [phone('acme', '101'), phone('beta', '101'), phone(null, '9')] })
    assert.equal((await place.json('trunkline phones --tenant acme', options)).length, 1)
    assert.equal((await place.run('trunkline phones --tenant nobody', options)).code, 67)
  })

  it('says that no switch is set', async () => {
    assert.deepEqual(await place.run('trunkline phones'), {
      code: 78,
      stdout: '',
      stderr:
        'error: no switch is set: the setting freeswitch or asterisk says how to reach it\nhint: trunkline switch setup --help\n',
    })
  })

  it('shows the other switches if one is away, and fails', async () => {
    const options = withSwitches(
      { away: 'FreeSWITCH does not answer at 127.0.0.1:8021.' },
      { phones: [phone('acme', '101')] },
    )
    const { code, stdout, stderr } = await place.run('trunkline phones', options)
    assert.deepEqual([code, stdout.split('\t')[0]], [69, 'acme'])
    assert.equal(stderr, 'error: FreeSWITCH does not answer at 127.0.0.1:8021.\nhint: trunkline switch check\n')
  })
})

describe('trunkline calls', () => {
  it('shows the calls in progress, with their cost so far', async () => {
    const calls = [
      call('a'),
      call('b', { answeredAt: null }),
      call('c', { to: '+4930123456' }),
      call('d', { direction: 'internal', to: '102' }),
      call('e', { tenant: null, extension: null, direction: 'inbound', from: '+12125550123' }),
      call('f', { tenant: 'gone' }),
    ]
    const rows = await place.json('trunkline calls', withSwitches({ calls }))
    assert.deepEqual(
      rows.map(({ id, cost }: Record<string, unknown>) => [id, cost]),
      [
        ['a', '0.0246'],
        ['b', '0.0000'],
        ['c', null],
        ['d', '0.0000'],
        ['e', null],
        ['f', null],
      ],
    )
    assert.ok(rows[0].seconds >= 90 && rows[0].seconds < 115, rows[0].seconds)
    assert.equal(rows[1].seconds, null)
    assert.equal((await place.json('trunkline calls --tenant acme', withSwitches({ calls }))).length, 4)
  })

  it('shows whole ids on a narrow terminal too, since the command that ends a call takes them', async () => {
    const id = '1781e2c8-7c5f-4b0a-a9e7-5a8d2b0f1c11'
    const table = await place.run('trunkline calls --no-color', { ...withSwitches({ calls: [call(id)] }), columns: 80 })
    assert.match(table.stdout, new RegExp(`│ *${id} *│`))
    assert.match(table.stdout, /│from *│to /)
    assert.ok(
      table.stdout.split('\n').every(line => line.length <= 80),
      table.stdout,
    )
  })

  it('ends a call, which the audit trail notes', async () => {
    const first = heldSwitch({ calls: [call('a')] })
    const second = heldSwitch({ calls: [call('b')] })
    const options: RunOptions = { wiring: wiring => ({ ...wiring, switches: async () => [first.held, second.held] }) }
    assert.equal((await place.run('trunkline calls end b', options)).stderr, 'Call ended.\n')
    assert.deepEqual([first.ended, second.ended], [[], ['b']])
    const [entry] = await place.json('trunkline audit list --resource calls')
    assert.deepEqual([entry.action, entry.changes], ['delete', { call: 'b' }])
    assert.deepEqual(await place.run('trunkline calls end c', options), {
      code: 67,
      stdout: '',
      stderr: 'error: there is no call "c"\nhint: trunkline calls\n',
    })
  })

  it('names every switch that is away', async () => {
    const away = ['FreeSWITCH does not answer.', 'Asterisk does not answer.']
    const options = withSwitches(...away.map(each => ({ away: each })))
    for (const command of ['phones', 'calls']) {
      const { code, stderr } = await place.run(`trunkline ${command}`, options)
      assert.equal(code, 69)
      assert.match(stderr, /FreeSWITCH does not answer/)
      assert.match(stderr, /Asterisk does not answer/)
    }
  })

  it('ends no call of a switch that is away', async () => {
    const { code, stderr } = await place.run(
      'trunkline calls end a',
      withSwitches({ away: 'Asterisk does not answer.' }),
    )
    assert.deepEqual([code, stderr], [69, 'error: Asterisk does not answer.\nhint: trunkline switch check\n'])
  })
})
