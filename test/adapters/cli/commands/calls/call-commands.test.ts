import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

describe('a folder, from the command line', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
    for (const name of ['cdr', 'notes', 'none', 'links', 'mixed']) mkdirSync(place.path(name))
    writeFileSync(place.path('cdr/Master.csv'), asteriskRow({ id: '1' }))
    writeFileSync(place.path('cdr/Master.csv.1'), asteriskRow({ id: '2' }))
    writeFileSync(place.path('cdr/notes.txt'), 'no record')
    for (const link of ['links/a.json', 'mixed/a.csv']) symlinkSync(place.path('gone'), place.path(link))
    writeFileSync(place.path('mixed/b.csv'), asteriskRow({ id: '3' }))
    for (let n = 1; n <= 12; n++) writeFileSync(place.path(`notes/${n}.txt`), 'no record')
  })
  after(() => place.remove())

  test('of CSV files is taken in, and what is passed over is said', async () => {
    const { code, stdout, stderr } = await place.run(`trunkline cdr ingest ${place.path('cdr')}`)
    assert.deepEqual([code, stdout], [0, 'stored      2\nknown       0\nquarantined 0\n'])
    assert.equal(
      stderr,
      ['skipped, since the first lines show no records of a switch: 1', `  ${place.path('cdr/notes.txt')}`, ''].join(
        '\n',
      ),
    )
  })

  test('without a file that could be taken in ends with 65, an empty one with 0', async () => {
    const { code, stderr } = await place.run(`trunkline cdr ingest ${place.path('notes')} --format ndjson`)
    assert.equal(code, 65)
    assert.match(stderr, /no records of the format ndjson: 12\n(?: {2}\S+\n){10} {2}… and 2 more\n/)
    assert.equal((await place.run(`trunkline cdr ingest ${place.path('none')}`)).code, 0)
  })

  test('with what cannot be read ends with 66, the others taken in, and names it with the reason', async () => {
    for (const [file, stored] of [
      ['links/a.json', 0],
      ['mixed/a.csv', 1],
    ] as const) {
      const { code, stdout, stderr } = await place.run(`trunkline cdr ingest ${dirname(place.path(file))}`)
      assert.deepEqual([code, stdout.split('\n')[0]], [66, `stored      ${stored}`])
      assert.equal(stderr, `skipped, since they cannot be read: 1\n  ${place.path(file)} (ENOENT)\n`)
    }
  })
})

describe('the tenant of records without one, from the command line', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
    writeFileSync(place.path('a.csv'), asteriskRow({ id: '1', accountcode: '', context: 'from-acme' }))
    writeFileSync(place.path('b.csv'), asteriskRow({ id: '2', accountcode: '', context: 'from-acme' }))
    writeFileSync(place.path('c.csv'), asteriskRow({ id: '3', accountcode: '', context: 'from-acme' }))
  })
  after(() => place.remove())

  test('is given by id or slug', async () => {
    const { id } = await place.json('trunkline tenant show acme')
    assert.equal((await place.json(`trunkline cdr ingest ${place.path('a.csv')} --tenant ${id}`)).stored, 1)
    assert.equal(
      (await place.json(`trunkline cdr ingest ${place.path('b.csv')} --context from-acme=id:${id}`)).stored,
      1,
    )
    await place.run(`trunkline cdr ingest ${place.path('c.csv')}`)
    assert.equal((await place.json(`trunkline cdr quarantine replay --tenant ${id}`)).replayed, 1)
  })

  test('that there is not is 67, and nothing is read', async () => {
    writeFileSync(place.path('d.csv'), asteriskRow({ id: '4', accountcode: '' }))
    for (const named of ['--tenant acmee', '--tenant 99', '--context from-acme=acmee']) {
      const { code, stderr } = await place.run(`trunkline cdr ingest ${place.path('d.csv')} ${named}`)
      assert.equal(code, 67)
      assert.match(stderr, /there is no tenant/)
      assert.equal((await place.run(`trunkline cdr quarantine replay ${named}`)).code, 67)
    }
    assert.deepEqual(await place.json('trunkline cdr quarantine list'), [])
  })
})
