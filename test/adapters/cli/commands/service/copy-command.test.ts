import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { newDatabase } from '../../../../support/postgres/databases.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const LISTS = ['tenant', 'extension', 'did', 'queue', 'rate', 'cdr', 'gateway', 'trunk', 'device', 'agent', 'route']

const answersOf = async (database: string): Promise<unknown[]> => {
  const answers: unknown[] = []
  for (const name of LISTS) answers.push(await place.json(`trunkline ${name} list --db ${database}`))
  return answers
}

describe('db copy', () => {
  it('copies everything to a server and back: each database gives the same answers', async () => {
    const address = await newDatabase()
    const [back, expected] = [place.path('back.db'), await answersOf(place.db)]
    const { code, stdout } = await place.run(`trunkline db copy --to ${address}`)
    assert.equal(code, 0)
    assert.match(stdout, /^copied \d+ rows of \d+ tables to postgres:\S+, verified\n$/)
    assert.deepEqual(await answersOf(address), expected)
    const { tables } = await place.json(`trunkline db copy --db ${address} --to ${back}`)
    assert.ok(tables.some(({ table, rows }: { table: string; rows: number }) => table === 'tenants' && rows === 1))
    assert.deepEqual(await answersOf(back), expected)
    assert.match(await place.done('trunkline audit list --action backup'), /copied_to/)
  })

  it('refuses a database that is not empty', async () => {
    const { code, stderr } = await place.run(`trunkline db copy --to ${place.db}`)
    assert.deepEqual({ code, stderr }, { code: 65, stderr: `error: ${place.db} already exists.\n` })
  })

  it('prints no password, and says what is wrong with the place', async () => {
    const { code, stderr } = await place.run('trunkline db copy --to postgres://ann:hush@127.0.0.1:1/none')
    assert.equal(code, 69)
    assert.doesNotMatch(stderr, /hush/)
    const { code: missing } = await place.run(
      `trunkline db copy --db ${place.path('none.db')} --to ${place.path('x.db')}`,
    )
    assert.equal(missing, 66)
    assert.equal(existsSync(place.path('x.db')), false)
  })
})
