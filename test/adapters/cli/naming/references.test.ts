import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callIds, furnish, type Workplace, workplace } from '../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
  const rate = (tenant: string, prefix: string): string =>
    `trunkline rate create --tenant ${tenant} --prefix ${prefix} --destination X --cost-per-minute 1 --billing-increment 1 --status active`
  const lines = [
    'trunkline tenant create --name Beta --slug beta --domain beta.example.com --status active --timezone UTC --max-extensions 5',
    rate('acme', '1'),
    rate('acme', '44'),
    rate('beta', '44'),
    'trunkline did create --tenant acme --number 380449999999 --provider X --status active',
    'trunkline extension create --tenant beta --extension-number 101 --display-name Desk --generate-secret --status active',
  ]
  for (const line of lines) await place.done(line)
})
after(() => place.remove())

const idOf = async (line: string): Promise<number> => (await place.json(`trunkline ${line}`)).id

describe('a plain number', () => {
  it('names a rate, queue or DID if no record has that id', async () => {
    assert.equal(await idOf('rate show 380'), 1)
    assert.equal(await idOf('queue show 800'), 1)
    assert.equal(await idOf('did show 380449999999'), 2)
    assert.equal(await idOf('rate update 380 --destination Ukraine'), 1)
  })

  it('that is the id of one record and the number of another is refused by every command, with both', async () => {
    const refused = {
      code: 64,
      stdout: '',
      stderr: 'error: "1" means more than one rate: id:1 (acme/380) and id:2 (acme/1)\n',
    }
    for (const command of ['show 1', 'update 1 --destination X', 'delete 1 --yes'])
      assert.deepEqual(await place.run(`trunkline rate ${command}`), refused)
    assert.equal(await idOf('rate show id:1'), 1)
    assert.equal(await idOf('rate show acme/1'), 2)
    assert.equal(await idOf('rate show 3'), 3)
  })

  it('that is ambiguous in a flag is refused as well, and nothing is stored', async () => {
    await place.done(
      'trunkline queue create --tenant acme --name Sales --queue-number 1 --strategy ringall --timeout 60 --status active',
    )
    assert.deepEqual(await place.run('trunkline agent add --queue 1 --extension acme/101'), {
      code: 64,
      stdout: '',
      stderr: 'error: "1" means more than one queue: id:1 (acme/800) and id:2 (acme/1)\n',
    })
    await place.done('trunkline queue delete acme/1 --yes')
  })

  it('is not an id of another tenant where the tenant is known', async () => {
    const call = (extension: string): string =>
      `trunkline cdr create --tenant acme --extension ${extension} --caller-number 101 --destination-number 1 --direction outbound --disposition ANSWERED --duration-seconds 1 --bill-seconds 1 --cost 0 --started-at 2026-10-01`
    const { code, stderr } = await place.run(call('2'))
    assert.equal(code, 67)
    assert.match(stderr, /^error: there is no extension "2"; /)
    const { id, extension_id } = await place.json(call('101'))
    assert.equal(extension_id, 1)
    await place.done(`trunkline cdr delete ${id} --yes`)
  })

  it('that several tenants have is refused with their names, unless the tenant is given', async () => {
    assert.deepEqual(await place.run('trunkline rate show 44'), {
      code: 64,
      stdout: '',
      stderr: 'error: "44" means more than one rate: id:3 (acme/44) and id:4 (beta/44)\n',
    })
    assert.equal(await idOf('rate show 44 --tenant beta'), 4)
    assert.equal(await idOf('rate show 1 --tenant acme'), 2)
    assert.equal(await idOf('extension show 101 --tenant beta'), 2)
  })

  it('that is the id of one record and the whole name of another is refused with both', async () => {
    const { id } = await place.json('trunkline did create --tenant acme --number 1 --provider X --status active')
    assert.deepEqual(await place.run('trunkline did show 1'), {
      code: 64,
      stdout: '',
      stderr: `error: "1" means more than one DID: id:1 (+380441234567) and id:${id} (1)\n`,
    })
    assert.equal((await place.json('trunkline did show id:1')).number, '+380441234567')
  })

  it('may follow the name of the given tenant, and of no other', async () => {
    for (const tenant of ['beta', '2']) {
      assert.equal(await idOf(`extension show --tenant ${tenant} beta/101`), 2)
      assert.equal(await idOf(`extension show --tenant ${tenant} 2/101`), 2)
    }
    assert.deepEqual(await place.run('trunkline extension show --tenant acme beta/101'), {
      code: 64,
      stdout: '',
      stderr: 'error: the tenant is named twice: beta and --tenant acme\n',
    })
    assert.match((await place.run('trunkline extension show --tenant acme gamma/101')).stderr, /"acme\/gamma\/101"/)
  })

  it('is looked up within the given tenant', async () => {
    const [call] = await callIds(place)
    assert.equal(await place.done('trunkline cdr list --tenant acme --extension 101 --fields id'), `${call}\n`)
    assert.equal(await place.done('trunkline cdr list --tenant beta --extension 101 --fields id'), '')
    assert.equal((await place.run('trunkline cdr list --extension 101')).code, 64)
  })

  it('that is neither the id nor the number of a record is an unknown record', async () => {
    const { code, stderr } = await place.run('trunkline rate show 999')
    assert.equal(code, 67)
    assert.match(stderr, /^error: there is no rate "999"; give its TENANT\/PREFIX or ID$/m)
    assert.match((await place.run('trunkline rate show 999 --tenant acme')).stderr, /there is no rate "acme\/999"/)
  })

  it('deletes only by id, so that repeating a deletion deletes no other record', async () => {
    assert.deepEqual(await place.run('trunkline rate delete 380 --yes'), {
      code: 67,
      stdout: '',
      stderr: 'error: there is no rate with the id 380\nhint: trunkline rate delete acme/380 --yes\n',
    })
    await place.done('trunkline rate delete 44 --tenant beta --yes')
    await place.done('trunkline rate delete id:3 --yes')
    assert.equal(await place.done('trunkline rate list --fields id'), '2\n1\n')
  })
})
