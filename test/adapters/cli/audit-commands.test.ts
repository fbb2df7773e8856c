import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli.ts'

describe('the audit trail, listed', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  it('by a resource or an action that there is not, tells which there are', async () => {
    for (const [flag, names] of [
      ['resource', 'tenants'],
      ['action', 'create'],
    ] as const) {
      const { code, stdout, stderr } = await place.run(`trunkline audit list --${flag} tenant`)
      assert.deepEqual([code, stdout], [64, ''])
      assert.match(stderr, new RegExp(`^error: there is no ${flag} tenant; there are .*\\b${names}\\b`))
    }
  })

  it('by a resource has the changes of its records alone', async () => {
    const resources = async (name: string) =>
      (await place.json(`trunkline audit list --resource ${name}`)).map(
        ({ resource }: { resource: string }) => resource,
      )
    assert.deepEqual(await resources('tenants'), ['tenants'])
    assert.deepEqual(await resources('accounts'), ['accounts'])
  })
})
