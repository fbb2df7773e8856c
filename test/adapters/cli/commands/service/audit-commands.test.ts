import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'

describe('the audit trail, listed', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  it('by an unknown resource or action lists the known ones', async () => {
    for (const [flag, names] of [
      ['resource', 'tenants'],
      ['action', 'create'],
    ] as const) {
      const { code, stdout, stderr } = await place.run(`trunkline audit list --${flag} tenant`)
      assert.deepEqual([code, stdout], [64, ''])
      assert.match(stderr, new RegExp(`^error: there is no ${flag} tenant; there are .*\\b${names}\\b`))
    }
  })

  it('by a resource shows only the changes of its records', async () => {
    const resources = async (name: string) =>
      (await place.json(`trunkline audit list --resource ${name}`)).map(
        ({ resource }: { resource: string }) => resource,
      )
    assert.deepEqual(await resources('tenants'), ['tenants'])
    assert.deepEqual(await resources('accounts'), ['accounts'])
  })

  it('names records as commands take them, also what they refer to, and what is deleted', async () => {
    const made = [
      'tenant create --name Other --slug other --domain other.example.com --status active --timezone UTC --max-extensions 5',
      'extension create --tenant other --extension-number 102 --display-name Desk --generate-secret --status active',
      'extension update other/102 --extension-number 103',
      'extension delete other/103 --yes',
      'tenant delete other --yes',
      'admin create gone@example.com --random-password',
      'admin delete gone@example.com --yes',
    ]
    for (const line of made) await place.done(`trunkline ${line}`)
    const entries = await place.json('trunkline audit list --limit 7')
    assert.deepEqual(
      entries.map(({ action, record_name }: { action: string; record_name: string }) => `${action} ${record_name}`),
      [
        'delete gone@example.com',
        'create gone@example.com',
        'delete other',
        'delete other/103',
        'update other/103',
        'create other/102',
        'create other',
      ],
    )
    const text = await place.done('trunkline audit list --resource extensions --record acme/101')
    assert.match(text, / {2}create extensions acme\/101 \(id 1\)\n {4}tenant_id: acme\n/)
    const agent = await place.done('trunkline audit list --resource agents')
    assert.match(agent, / {2}create agents 1\n {4}queue_id: acme\/800\n {4}extension_id: acme\/101\n/)
    const file = place.path('rates.csv')
    writeFileSync(file, 'prefix,destination,cost_per_minute,billing_increment,status\n7,Russia,0.1,1,active\n')
    await place.done(`trunkline rate import ${file} --tenant acme`)
    assert.match(await place.done('trunkline audit list --action import'), /\n {4}tenant_id: acme\n {4}created: 1\n/)
  })

  it('finds a record by its id, by the name that it has, and by one that it had', async () => {
    const actions = async (flags: string): Promise<string[]> =>
      (await place.json(`trunkline audit list ${flags}`)).map(
        ({ action, record_name }: { action: string; record_name: string }) => `${action} ${record_name}`,
      )
    assert.deepEqual(await actions('--record other/102'), ['create other/102'])
    assert.deepEqual(await actions('--record other/103'), ['delete other/103', 'update other/103'])
    assert.deepEqual(await actions('--record gone@example.com --action delete'), ['delete gone@example.com'])
    await place.done('trunkline extension update acme/101 --extension-number 111')
    const whole = ['update acme/111', 'create acme/101']
    assert.deepEqual(await actions('--resource extensions --record acme/111'), whole)
    assert.deepEqual(await actions('--resource extensions --record 1'), whole)
    assert.deepEqual(await actions('--resource extensions --record id:1'), whole)
    assert.deepEqual(await actions('--record nothing'), [])
  })
})
