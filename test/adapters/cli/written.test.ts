import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'

describe('what is written in a file, and given by a flag', () => {
  let place: Workplace
  before(async () => {
    place = workplace()
    await furnish(place)
  })
  after(() => place.remove())

  /** The errors of an import of these rows, without the file's name. */
  async function errorsOf(name: string, command: string, text: string): Promise<string[]> {
    const file = place.path(name)
    writeFileSync(file, text)
    const { code, stderr } = await place.run(`trunkline ${command} import ${file}`)
    assert.equal(code, 65, stderr)
    return [...stderr.matchAll(/^.*?:(\d+: .*)$/gm)].map(([, error = '']) => error)
  }

  it('is not a boolean unless it says yes or no, in every import and by the flag', async () => {
    const sheet = ['ja', 'WAHR', 'x'].map((word, i) => `acme,20${i},N,s,active,${word}`)
    const header = 'tenant,extension_number,display_name,secret,status,voicemail_enabled'
    assert.deepEqual(
      await errorsOf('staff.csv', 'extension', `${[header, ...sheet].join('\n')}\n`),
      ['ja', 'WAHR', 'x'].map(
        (word, i) => `${i + 2}: voicemail_enabled: The voicemail enabled field must be yes or no, not ${word}.`,
      ),
    )
    const gateway = { name: 'g', provider_type: 'p', server_host: 'h.example', server_port: 1, username: 'u' }
    const row = { ...gateway, password: 'p', is_active: 'x', use_ssl: 2 }
    assert.deepEqual(await errorsOf('gateways.ndjson', 'gateway', `${JSON.stringify(row)}\n`), [
      '1: is_active: The is active field must be yes or no, not x.',
      '1: use_ssl: The use ssl field must be yes or no, not 2.',
    ])
    const flagged = await place.run('trunkline extension update acme/101 --voicemail-enabled ja')
    assert.deepEqual(
      [flagged.code, flagged.stderr.split('\n')[0]],
      [64, 'error: --voicemail-enabled must be yes or no, not ja'],
    )
  })

  it('is yes or no by the same words in a file and by a flag', async () => {
    for (const [word, isOn] of [
      ['TRUE', 1],
      ['Off', 0],
      ['on', 1],
      ['', 0],
      ['1', 1],
      ['no', 0],
    ] as const) {
      const file = place.path('one.csv')
      writeFileSync(
        file,
        `tenant,extension_number,display_name,secret,status,voicemail_enabled\nacme,101,F,s,active,${word}\n`,
      )
      await place.done(`trunkline extension import ${file} --mode upsert`)
      const read = async (): Promise<unknown> =>
        (await place.json('trunkline extension show acme/101')).voicemail_enabled
      assert.equal(await read(), isOn === 1, `file: ${word}`)
      await place.done(`trunkline extension update acme/101 --voicemail-enabled ${isOn ? 'no' : 'yes'}`)
      await place.done(`trunkline extension update acme/101 --voicemail-enabled '${word}'`)
      assert.equal(await read(), isOn === 1, `flag: ${word}`)
    }
  })

  it('is not a number where a spreadsheet has made an exponent of it, wherever it is dialled', async () => {
    const sheets: Readonly<Record<string, string>> = {
      extension: 'tenant,extension_number,display_name,secret,status\nacme,4.42E+11,N,s,active\n',
      did: 'tenant,number,provider,status\nacme,4.42E+11,P,active\n',
      queue: 'tenant,name,queue_number,strategy,timeout,status\nacme,Q,4.42E+11,ringall,9,active\n',
      rate: 'tenant,prefix,destination,cost_per_minute,billing_increment,status\nacme,4.42E+11,D,1,60,active\n',
      cdr: 'tenant,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at\nacme,4.42E+11,4.42E+11,outbound,ANSWERED,1,1,1,2026-10-01 12:00:00\n',
    }
    for (const [command, text] of Object.entries(sheets)) {
      const errors = await errorsOf(`${command}.csv`, command, text)
      assert.equal(errors.length, command === 'cdr' ? 2 : 1)
      for (const error of errors)
        assert.match(error, /^2: \w+: .* holds 4\.42E\+11, which a spreadsheet made of a long/)
    }
    for (const line of [
      'did create --tenant acme --number 4.42E+11 --provider P --status active',
      'queue update acme/800 --queue-number 4.42E+11',
      'rate update acme/380 --prefix 4.42E+11',
      'extension update acme/101 --extension-number 4.42E+11',
    ]) {
      const { code, stderr } = await place.run(`trunkline ${line}`)
      assert.equal(code, 65, line)
      assert.match(stderr, /^error: --[\w-]+: The \w+ (?:number )?field holds 4\.42E\+11, which a spreadsheet made/)
    }
  })

  it('is a DID only where it can be dialled', async () => {
    const sheet = 'tenant,number,provider,status\nacme,abc,P,active\n'
    const said = 'The number field must be a number that can be dialled, not abc.'
    assert.deepEqual(await errorsOf('dids.csv', 'did', sheet), [`2: number: ${said}`])
    const create = 'trunkline did create --tenant acme --provider P --status active --number'
    const { code, stderr } = await place.run(`${create} abc`)
    assert.deepEqual([code, stderr], [65, `error: --number: ${said}\n`])
    assert.equal(
      (await place.json('trunkline did create --tenant acme --provider P --status active --number \'="abc"\'')).number,
      'abc',
    )
  })

  it('comes back from an export as it is stored, whatever that is', async () => {
    const call =
      'trunkline cdr create --tenant acme --direction outbound --disposition ANSWERED --duration-seconds 1 --bill-seconds 1 --cost 0 --started-at 2026-10-02'
    await place.done(`${call} --caller-number '="4.42E+11"' --destination-number anonymous`)
    const numbers = async (): Promise<string[]> =>
      (await place.json('trunkline cdr list --all'))
        .map((row: Record<string, string>) => `${row['caller_number']}`)
        .sort()
    for (const format of ['csv', 'ndjson', 'json']) {
      const before = await numbers()
      const file = place.path(`calls.${format}`)
      await place.done(`trunkline cdr export --out ${file}`)
      assert.match(readFileSync(file, 'utf8'), /="*\\?"4\.42E\+11/)
      for (const { id } of await place.json('trunkline cdr list --all'))
        await place.done(`trunkline cdr delete ${id} --yes`)
      await place.done(`trunkline cdr import ${file}`)
      assert.deepEqual(await numbers(), before)
    }
  })
})
