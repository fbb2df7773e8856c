import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'

describe('a secret in the arguments of a command', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  it('is accepted, with a warning that shows a safer way', async () => {
    const { code, stderr } = await place.run('trunkline extension update acme/101 --secret hunter2')
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^warning: other users of this system can see the value of --secret .*; --secret-file reads it/,
    )
    assert.equal(stderr.includes('hunter2'), false)
    const { secret } = JSON.parse(await place.done('trunkline extension show acme/101 --show-secrets --output json'))
    assert.equal(secret, 'hunter2')
  })

  it('causes a warning in imports, too', async () => {
    writeFileSync(place.path('e.csv'), 'extension_number,display_name,status\n105,Desk,active\n')
    const { code, stderr } = await place.run(
      `trunkline extension import ${place.path('e.csv')} --tenant acme --set secret=hunter2`,
    )
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^warning: other users of this system can see the value of --set secret= .*; give it in a column$/m,
    )
  })

  it('causes no warning when it comes from a file, is generated or cleared', async () => {
    for (const [flags, input] of [
      ['extension update acme/101 --secret-file -', 'hunter2\n'],
      ['extension update acme/101 --generate-secret', ''],
      ["gateway update Jasmin --callback-token ''", ''],
    ] as const)
      assert.doesNotMatch((await place.run(`trunkline ${flags}`, { input })).stderr, /warning/)
  })
})
