import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'
import { allowDumps, noDumps } from '../../support/storages.ts'

describe('--quiet', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await allowDumps(place.folder)
    await furnish(place)
    writeFileSync(
      place.path('deck.csv'),
      'prefix,destination,cost_per_minute,billing_increment,status\n33-35,X,1,60,active\n',
    )
    const call = { destination_number: '4930123', started_at: '2026-10-01 12:00:00', answered_seconds: 9 }
    const calls = ['acme', 'nobody', 'none'].map((accountcode, id) =>
      JSON.stringify({ ...call, id: `${id}`, accountcode }),
    )
    writeFileSync(place.path('calls.ndjson'), `${calls.join('\n')}\n`)
  })
  after(() => place.remove())

  const extension = '--extension-number 102 --display-name B --secret abcdefgh --status active'
  for (const [line, code = 0] of [
    [`extension create --tenant acme ${extension}`],
    ['extension update acme/102 --display-name C'],
    ['device add --extension acme/102 --mac 00:15:65:a1:b2:c4 --model M'],
    ['device remove 00:15:65:a1:b2:c4 --yes'],
    ['rate import @deck.csv --tenant acme'],
    ['rate export --out @rates.csv'],
    ['cdr ingest @calls.ndjson'],
    ['cdr quarantine replay', 1],
    ['cdr quarantine discard --reason nobody --yes'],
    ['cdr rerate --tenant acme --since 2026-01-01 --yes'],
    ['admin create b@example.com --password-file -'],
    ['admin passwd b@example.com --password-file -'],
    ['admin role b@example.com manager'],
    ['admin disable b@example.com'],
    ['admin enable b@example.com'],
    ['admin delete b@example.com --yes'],
    ['session revoke --all'],
    ['db migrate'],
    ['db backup @copy.db'],
    ['db check'],
    ['db restore @copy.db --yes'],
    ['config check'],
    ['--db @new.db init --email a@example.com --password-file -'],
  ] as const)
    it(`prints nothing after trunkline ${line}`, { skip: line.includes('copy.db') && noDumps }, async () => {
      const paths = line.replaceAll(/@([\w.]+\.(?:csv|ndjson|db))\b/g, (_, name: string) => place.path(name))
      const ran = await place.run(`trunkline --quiet ${paths}`, { input: 'correct horse\n' })
      assert.deepEqual(ran, { code, stdout: '', stderr: '' })
    })

  it('keeps what was requested: data, errors, and a new secret', async () => {
    assert.match(await place.done('trunkline -q tenant list'), /acme/)
    assert.equal(await place.done('trunkline -q queue update acme/800 --name Help --fields name'), 'name  Help\n')
    assert.equal((await place.json('trunkline -q queue update acme/800 --name Support')).name, 'Support')
    assert.match(await place.done('trunkline -q extension update acme/101 --generate-secret'), /^secret +\S{24}$/m)
    assert.match(await place.done('trunkline -q admin create c@example.com --random-password'), /^password +\S+$/m)
    assert.equal((await place.run('trunkline -q tenant show none')).stderr.split(' ')[0], 'error:')
    assert.match((await place.run('trunkline -q doctor')).stdout, /^found: /)
    const sent = await place.run('trunkline -q sms send --gateway Jasmin --to +380501234567 --from A --message x')
    assert.deepEqual([sent.code, /^delivery_status +failed$/m.test(sent.stdout)], [1, true])
  })
})
