import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'

describe('--fields', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  for (const [line, command] of [
    ['trunkline rate quote acme +380501234567 --fields cost', 'rate quote'],
    ['trunkline rate check acme --fields missing', 'rate check'],
    ['trunkline cdr rerate --tenant acme --yes --fields changed -o csv', 'cdr rerate'],
    ['trunkline status --fields schema --output ndjson', 'status'],
    ['trunkline db backup copy.db --fields file', 'db backup'],
    ['trunkline admin passwd admin@example.com --random-password --fields email', 'admin passwd'],
    ['trunkline admin create b@example.com --random-password --fields email', 'admin create'],
    ['trunkline --db new.db init --email b@example.com --random-password --fields email', 'init'],
  ] as const)
    it(`is refused by ${command}, which has nothing to choose from, before it does anything`, async () => {
      const { code, stdout, stderr } = await place.run(line)
      assert.deepEqual([code, stdout], [64, ''])
      const said = stderr.includes('{') ? JSON.parse(stderr).error.message : stderr.slice('error: '.length, -1)
      assert.equal(said, `--fields does not apply to trunkline ${command}`)
    })

  it('with a mistake is refused before anything is changed or sent', async () => {
    const before = await place.json('trunkline audit list')
    for (const line of [
      'trunkline did create --tenant acme --number +380441234568 --provider P --status active',
      'trunkline did update +380441234567 --provider Other',
      'trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message x',
    ]) {
      const { code, stderr } = await place.run(`${line} --fields nope`)
      assert.deepEqual([code, stderr.slice(0, 36)], [64, 'error: there is no field nope; there'], line)
    }
    assert.deepEqual(await place.json('trunkline audit list'), before)
    assert.deepEqual(await place.json('trunkline sms list'), [])
  })

  it('chooses the columns of a report and of the audit trail', async () => {
    const report = 'trunkline report usage --tenant acme --month 2026-10 --by destination'
    assert.equal(await place.done(`${report} --output csv --fields cost,calls`), 'cost,calls\n0.0246,1\n')
    assert.equal(await place.done(`${report} --output ndjson --fields calls`), '{"calls":1}\n')
    const audit = await place.done('trunkline audit list --limit 1 --output csv --fields resource,action')
    assert.equal(audit, 'resource,action\nroutes,create\n')
  })

  it('that names an unknown column of a report lists the known ones', async () => {
    const { code, stderr } = await place.run(
      'trunkline report usage --tenant acme --month 2026-10 --output csv --fields calls,colour',
    )
    assert.equal(code, 64)
    assert.match(stderr, /^error: there is no field colour; there are tenant, month, timezone, calls, answered/)
  })

  it('is refused where the same is drawn for a person, with the command that has columns', async () => {
    const line = 'trunkline report usage --tenant acme --month 2026-10 --fields calls'
    assert.deepEqual(await place.run(line), {
      code: 64,
      stdout: '',
      stderr: `error: --fields needs columns: use --output csv\nhint: ${line} --output csv\n`,
    })
  })
})

describe('a reference to one of several kinds', () => {
  const place = workplace()
  before(() => furnish(place))
  after(() => place.remove())

  for (const [what, type] of [
    ['is missing', ''],
    ['is none of them', ' --target-type ivr'],
  ] as const)
    it(`is not looked up where its kind ${what}, and the command that shows its kind is suggested`, async () => {
      const line = 'trunkline route add --did +380441234567 --target acme/101'
      const { code, stderr } = await place.run(line + type)
      assert.equal(code, 64)
      assert.equal(
        stderr,
        `error: --target needs --target-type, which is extension or queue\nhint: ${line} --target-type extension\n`,
      )
    })
})

describe('a secret', () => {
  const place = workplace()
  before(() => furnish(place))
  after(() => place.remove())

  for (const [line, one, other] of [
    ['extension update acme/101', '--secret x', '--generate-secret'],
    ['extension update acme/101', '--secret x', '--secret-file -'],
    ['extension update acme/101', '--secret-file -', '--generate-secret'],
    ['gateway update Jasmin', '--password x', '--password-file -'],
    ['admin passwd admin@example.com', '--password-file -', '--random-password'],
  ] as const)
    it(`cannot be given in two ways at once: ${one} ${other}`, async () => {
      const { code, stdout, stderr } = await place.run(`trunkline ${line} ${one} ${other}`, { input: 'another one\n' })
      assert.deepEqual([code, stdout], [64, ''])
      assert.match(stderr, /^error: option '--.*' cannot be used with option '--.*'\nhint: trunkline .* --help\n$/)
    })
})
