import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callIds, furnish, type Ran, type Workplace, workplace } from '../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const ended = async (line: string, expected: Partial<Ran>): Promise<void> => {
  const ran = await place.run(line)
  assert.deepEqual(ran, { code: 0, stdout: '', stderr: '', ...expected })
}

describe('deleting', () => {
  it('needs --yes where no terminal can ask', () =>
    ended('trunkline rate delete acme/380', {
      code: 64,
      stderr: 'error: deleting rate acme/380 must be confirmed\nhint: trunkline rate delete acme/380 --yes\n',
    }))

  it('names the deleted record as commands do, however it was named', async () => {
    const rate = '--destination X --cost-per-minute 1 --billing-increment 1 --status active'
    for (const prefix of ['44', '49'])
      await place.done(`trunkline rate create --tenant acme --prefix ${prefix} ${rate}`)
    await ended('trunkline rate delete acme/380 --yes', { stderr: 'Rate acme/380 deleted.\n' })
    await ended('trunkline rate delete 44 --tenant acme --yes', { stderr: 'Rate acme/44 deleted.\n' })
    await ended('trunkline rate delete id:3 --yes', { stderr: 'Rate acme/49 (id 3) deleted.\n' })
    const [call] = await callIds(place)
    await ended(`trunkline cdr delete ${call} --yes`, { stderr: `CDR ${call} deleted.\n` })
  })

  it('by a name that two records have deletes neither, and no hint chooses one', async () => {
    const did = 'trunkline did create --tenant acme --number +4930 --provider X --status active'
    for (const line of [did, did]) await place.done(line)
    await ended('trunkline did delete +4930 --yes', {
      code: 64,
      stderr: 'error: "+4930" means more than one DID: id:2 (+4930) and id:3 (+4930)\n',
    })
    for (const id of [2, 3]) await place.done(`trunkline did delete id:${id} --yes`)
  })

  it('says what goes with the record', async () => {
    await place.done('trunkline did create --tenant acme --number +4931 --provider X --status active')
    await place.done('trunkline route add --did +4931 --target-type extension --target acme/101')
    await ended('trunkline did delete +4931 --yes', { stderr: 'DID +4931 deleted with 1 route.\n' })
  })

  it('of a tenant with dependants says how to delete them as well', async () => {
    const line = 'trunkline tenant delete acme --yes --output json'
    const { code, stderr } = await place.run(line)
    const { error } = JSON.parse(stderr)
    assert.deepEqual([code, error.code, error.hint], [65, 'conflict', `${line} --cascade`])
    assert.deepEqual(error.dependants, { extensions: 1, queues: 1, dids: 1 })
  })

  it('says nothing at all with --quiet', () => ended('trunkline route remove 1 --yes --quiet', {}))

  it('of a tenant with --cascade deletes all its records', async () => {
    await ended('trunkline tenant delete acme --yes --cascade', {
      stderr: 'Tenant acme deleted with 1 extension, 1 queue, 1 DID.\n',
    })
    await ended('trunkline extension list', {})
  })
})
