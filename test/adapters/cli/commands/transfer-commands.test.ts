import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../support/cli/cli.ts'

describe('an import, from the command line', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  it('distinguishes a missing file from a missing folder', async () => {
    for (const [path, said] of [
      [place.path('nowhere.csv'), `there is no file ${place.path('nowhere.csv')}`],
      [place.folder, `${place.folder} is not a regular file`],
    ] as const) {
      const { code, stderr } = await place.run(`trunkline rate import ${path}`)
      assert.deepEqual([code, stderr], [66, `error: ${said}\n`])
    }
  })
})
