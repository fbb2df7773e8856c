import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

describe('cdr ingest of a folder', () => {
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

  test('stores the records of its CSV files, and names the files that it skipped', async () => {
    const { code, stdout, stderr } = await place.run(`trunkline cdr ingest ${place.path('cdr')}`)
    assert.deepEqual([code, stdout], [0, 'stored      2\nknown       0\nquarantined 0\n'])
    assert.equal(
      stderr,
      ['skipped, since the first lines show no records of a switch: 1', `  ${place.path('cdr/notes.txt')}`, ''].join(
        '\n',
      ),
    )
  })

  test('ends with 65 if no file holds records, and with 0 if the folder is empty', async () => {
    const { code, stderr } = await place.run(`trunkline cdr ingest ${place.path('notes')} --format ndjson`)
    assert.equal(code, 65)
    assert.match(stderr, /no records of the format ndjson: 12\n(?: {2}\S+\n){10} {2}… and 2 more\n/)
    assert.equal((await place.run(`trunkline cdr ingest ${place.path('none')}`)).code, 0)
  })

  test('ends with 66 if a file cannot be read, names it with the reason, and stores the others', async () => {
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

describe('the --tenant of records without a tenant', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
    writeFileSync(place.path('a.csv'), asteriskRow({ id: '1', accountcode: '', context: 'from-acme' }))
    writeFileSync(place.path('b.csv'), asteriskRow({ id: '2', accountcode: '', context: 'from-acme' }))
    writeFileSync(place.path('c.csv'), asteriskRow({ id: '3', accountcode: '', context: 'from-acme' }))
  })
  after(() => place.remove())

  test('is an id or a slug', async () => {
    const { id } = await place.json('trunkline tenant show acme')
    assert.equal((await place.json(`trunkline cdr ingest ${place.path('a.csv')} --tenant ${id}`)).stored, 1)
    assert.equal(
      (await place.json(`trunkline cdr ingest ${place.path('b.csv')} --context from-acme=id:${id}`)).stored,
      1,
    )
    await place.run(`trunkline cdr ingest ${place.path('c.csv')}`)
    assert.equal((await place.json(`trunkline cdr quarantine replay --tenant ${id}`)).replayed, 1)
  })

  test('that does not exist ends with 67, and nothing is read', async () => {
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
