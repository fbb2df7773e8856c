import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const saidOf = async (line: string): Promise<string> => {
  const { code, stderr } = await place.run(line)
  assert.equal(code, 0)
  return stderr
}

const RATE = '--destination X --cost-per-minute 1 --billing-increment 1 --status active'

describe('a natural key that two records share, which the API allows,', () => {
  it('causes a warning when a record is created', async () => {
    const did = 'trunkline did create --tenant acme --provider X --status active --number'
    assert.equal(await saidOf(`${did} +380440000000`), 'DID created.\n')
    assert.equal(
      await saidOf(`${did} +380441234567`),
      'DID created.\nwarning: there is another DID +380441234567, id:1; this one is id:3\n',
    )
    assert.match(
      await saidOf(`trunkline rate create --tenant acme --prefix 380 ${RATE} -o json`),
      /^warning: there is another rate acme\/380, id:1; this one is id:2$/m,
    )
  })

  it('causes a warning when a change gives it to a record, but not at other changes', async () => {
    assert.match(await saidOf('trunkline did update id:2 --number +380441234567'), /^warning: there is another DID/m)
    assert.equal(await saidOf('trunkline did update id:2 --provider Y'), 'DID updated.\n')
  })
})
