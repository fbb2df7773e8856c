import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'

describe('a hint', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  const hintOf = (stderr: string): string => /^hint: (.*)$/m.exec(stderr)?.[1] ?? ''

  for (const line of [
    'trunkline rate quote acme 380 --seconds many',
    'trunkline rate quote acme 380 --seconds=many',
    'trunkline extension update acme/101 --voicemail-enabled maybe',
    'trunkline extension list --voicemail-enabled ja',
    'trunkline report usage --tenant acme --month October',
    'trunkline audit list --since yesterday',
    'trunkline cdr rerate --tenant acme',
  ])
    it(`after ${line} is a command that works as it stands`, async () => {
      const { code, stderr } = await place.run(line)
      assert.equal(code, 64)
      const hint = hintOf(stderr)
      assert.equal((await place.run(hint)).code, 0, hint)
      assert.doesNotMatch(hint, /many|maybe|ja$/)
    })

  it('to restore a backup names the database that was given', async () => {
    const damaged = place.path('damaged.db')
    writeFileSync(damaged, 'id;name\n1;Acme\n'.repeat(1_000))
    const { stderr } = await place.run(`trunkline --db ${damaged} tenant list`)
    assert.equal(hintOf(stderr), `trunkline --db ${damaged} db restore FILE`)
  })

  it('on a file in another encoding is the command that converts it', async () => {
    const deck = place.path('old deck.csv')
    writeFileSync(deck, Buffer.from('prefix,destination\n39,Citt\xe0\n', 'latin1'))
    const { stderr } = await place.run(`trunkline rate import '${deck}' --tenant acme`)
    assert.equal(hintOf(stderr), `iconv -f WINDOWS-1252 -t UTF-8 '${deck}' > '${place.path('utf-8-old deck.csv')}'`)
    assert.doesNotMatch((await place.run('trunkline rate import -', { input: '\xff\xfe' })).stderr, /hint/)
  })

  it('on calls without a rate names the tenant where that was given, else goes over all', async () => {
    const calls = place.path('calls.ndjson')
    const call = { destination_number: '4930123', started_at: '2026-10-01 12:00:00', answered_seconds: 9 }
    for (const [id, flags, said] of [
      ['1', '--tenant acme', 'hint: trunkline rate check acme\n'],
      ['2', '--context x=acme', 'hint: trunkline tenant list --fields slug | xargs -I{} trunkline rate check {}\n'],
    ] as const) {
      writeFileSync(calls, `${JSON.stringify({ ...call, id, context: 'x' })}\n`)
      assert.equal((await place.run(`trunkline cdr ingest ${calls} --format ndjson ${flags}`)).stderr, said)
    }
  })

  it('on a limit that is reached makes room for what was to be stored', async () => {
    await place.done('trunkline tenant update acme --max-extensions 1')
    const create =
      'trunkline extension create --tenant acme --extension-number 102 --display-name B --generate-secret --status active'
    const refused = await place.run(create)
    assert.equal(refused.code, 65)
    assert.equal(hintOf(refused.stderr), 'trunkline tenant update acme --max-extensions 2')
    const file = place.path('staff.csv')
    writeFileSync(file, 'extension_number,display_name,secret,status\n103,C,s,active\n104,D,s,active\n')
    const load = `trunkline extension import ${file} --tenant acme --max-errors 1`
    const { stderr } = await place.run(load)
    assert.equal(hintOf(stderr), 'trunkline tenant update acme --max-extensions 3')
    for (const line of [hintOf(stderr), load, hintOf(stderr).replace('3', '4'), create]) await place.done(line)
  })

  it('is none where it would hold a mask in the place of a secret', async () => {
    const extensions = place.path('ext.csv')
    writeFileSync(extensions, 'tenant,extension_number,display_name,status\nacme,101,x,active\n')
    const { stderr } = await place.run(`trunkline extension import ${extensions} --set secret=hunter2pw`)
    assert.match(stderr, /--mode upsert changes/)
    assert.doesNotMatch(stderr, /hint:|hunter2/)
  })

  it('never corrects a typo to a command that changes something', async () => {
    for (const [line, meant, hint] of [
      ['trunkline extension creat --tenant acme', 'create', 'trunkline extension --help'],
      ['trunkline sms sent', 'send', 'trunkline sms --help'],
      ['trunkline rate inport deck.csv', 'import', 'trunkline rate --help'],
      ['trunkline cdr rerated --yes', 'rerate', 'trunkline cdr --help'],
      ['trunkline admin disabled a@example.com', 'disable', 'trunkline admin --help'],
      ['trunkline srve', 'serve', 'trunkline --help'],
      ['trunkline inti', 'init', 'trunkline --help'],
    ] as const) {
      const { code, stderr } = await place.run(line)
      assert.equal(code, 64)
      assert.match(stderr, new RegExp(`^error: unknown command '\\w+'; did you mean ${meant}\\?\n`))
      assert.equal(hintOf(stderr), hint)
    }
    for (const line of ['trunkline rate replce deck.csv', 'trunkline tenant delet acme']) {
      const { code, stderr } = await place.run(line)
      assert.equal(code, 64)
      assert.doesNotMatch(stderr, /remove|did you mean/)
    }
    for (const [line, hint] of [
      ['trunkline extension lst --tenant acme', 'trunkline extension list --tenant acme'],
      ['trunkline extensin list', 'trunkline extension list'],
      ['trunkline rate exprt', 'trunkline rate export'],
    ] as const)
      assert.equal(hintOf((await place.run(line)).stderr), hint)
  })

  it('puts its option before the end of the options', async () => {
    const { stderr } = await place.run('trunkline rate delete -- acme/380')
    assert.equal(hintOf(stderr), 'trunkline rate delete --yes -- acme/380')
  })
})
