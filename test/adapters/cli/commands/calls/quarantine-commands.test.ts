import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

describe('the quarantine', () => {
  let place: Workplace
  const DISCARD = 'trunkline cdr quarantine discard'
  const left = async (filter = ''): Promise<number[]> =>
    (await place.json(`trunkline cdr quarantine list ${filter}`)).map(({ id }: { id: number }) => id)
  before(async () => {
    place = workplace()
    await furnish(place)
    const late = asteriskRow({ id: '2', accountcode: 'late' })
    writeFileSync(place.path('a.csv'), `${asteriskRow({ id: '1' })}${late}garbage\n`)
    writeFileSync(
      place.path('b.csv'),
      `${asteriskRow({ id: '3', accountcode: 'late' })}rubbish\n${'long,'.repeat(900)}\n`,
    )
    for (const file of ['a.csv', 'b.csv']) await place.done(`trunkline cdr ingest ${place.path(file)} --quiet`)
    assert.deepEqual(await left(), [1, 2, 3, 4, 5])
  })
  after(() => place.remove())

  test('is listed by reason and by feed', async () => {
    assert.deepEqual(await left(`--reason 'columns, not'`), [2, 4, 5])
    assert.deepEqual(await left(`--reason columns --feed ${place.path('b.csv')}`), [4, 5])
    const none = await place.run('trunkline cdr quarantine list --reason nothing')
    assert.deepEqual([none.code, none.stderr], [0, 'no record in quarantine matches\n'])
  })

  test('discards records only by ids or a filter, and only after a confirmation', async () => {
    assert.equal((await place.run(`${DISCARD} --yes`)).code, 64)
    assert.equal((await place.run(`${DISCARD} --reason '' --feed '' --yes`)).code, 64)
    assert.equal((await place.run(`${DISCARD} 1x --yes`)).code, 64)
    assert.equal((await place.run(`${DISCARD} 1 77 --yes`)).code, 67)
    const unsure = await place.run(`${DISCARD} 1 2`)
    assert.equal(unsure.code, 64)
    assert.match(unsure.stderr, /deleting 2 of the quarantine's records must be confirmed/)
    assert.deepEqual(await left(), [1, 2, 3, 4, 5])
  })

  test('discards records by id, by reason and by feed, and the audit trail keeps what they were', async () => {
    assert.equal(await place.done(`${DISCARD} 2 --yes`), 'discarded 1\n')
    assert.deepEqual(await place.json(`${DISCARD} 1 5 --reason columns --yes`), { discarded: 1 })
    assert.deepEqual(await place.json(`${DISCARD} --reason 'no tenant' --feed ${place.path('a.csv')} --yes`), {
      discarded: 1,
    })
    assert.deepEqual(await left(), [3, 4])
    assert.deepEqual(await place.json(`${DISCARD} --reason nothing --yes`), { discarded: 0 })
    const noted = await place.json('trunkline audit list --resource quarantine --action delete')
    assert.deepEqual(
      noted.map(({ record_id }: { record_id: number }) => record_id),
      [1, 5, 2],
    )
    const [, long, short] = noted
    assert.equal(long.changes.record.before.length, 1_000)
    assert.deepEqual(short.changes, {
      feed: { before: place.path('a.csv') },
      format: { before: 'asterisk-csv' },
      reason: { before: 'has 1 columns, not 16, 17, 18, 21' },
      record: { before: 'garbage' },
    })
  })
})

test('replayed records are read in the present format of their feed', async () => {
  const place = workplace()
  await furnish(place)
  const path = place.path('Master.csv')
  writeFileSync(path, asteriskRow({ id: '1' }))
  await place.done(`trunkline cdr ingest ${path} --format freeswitch-csv`)
  const TRUNKLINE_FEEDS = JSON.stringify([{ format: 'asterisk-csv', path }])
  assert.equal((await place.run('trunkline cdr quarantine replay')).stdout, 'replayed 0, left 1\n')
  const { stdout } = await place.run('trunkline cdr quarantine replay', { env: { TRUNKLINE_FEEDS } })
  assert.equal(stdout, 'replayed 1, left 0\n')
  place.remove()
})
