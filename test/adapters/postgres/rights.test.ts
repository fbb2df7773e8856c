import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Ran, type Workplace, workplace } from '../../support/cli/cli.ts'
import { changed } from '../../support/data/reader.ts'
import { type OwnServer, QUICK, startOwnServer } from '../../support/postgres/server.ts'

const NO_RIGHTS =
  'error: The user may not do this in the database.\nhint: connect as the user who owns the database and its tables\n'
const NO_WRITES =
  'error: The database takes no writes: it is a replica, or read-only.\nhint: name the primary server in the address of the database\n'

describe('a user of the server', () => {
  let place: Workplace
  let server: OwnServer
  const { getuid } = process
  before(async () => {
    place = workplace()
    server = await startOwnServer({ settings: QUICK })
    const address = server.address('postgres')
    await place.done(`trunkline init --db '${address}' --email admin@example.com --random-password`)
    await changed(address, 'CREATE ROLE reader LOGIN')
    await changed(address, 'CREATE ROLE replicated LOGIN IN ROLE trunkline')
    await changed(address, 'ALTER ROLE replicated SET default_transaction_read_only = on')
    process.getuid = () => 1_000
  })
  after(async () => {
    if (getuid) process.getuid = getuid
    await server.stop()
    place.remove()
  })

  const asUser = (user: string, line: string): Promise<Ran> =>
    place.run(`trunkline ${line} --db '${server.address('postgres').replace('trunkline@', `${user}@`)}'`)
  const CHANGE = 'admin create b@example.com --random-password'

  it('without rights ends with 77, as with a file of someone else, and the hint is about the server', async () => {
    assert.deepEqual(await asUser('reader', 'tenant list'), { code: 77, stdout: '', stderr: NO_RIGHTS })
    const { stdout } = await asUser('reader', 'doctor')
    assert.match(stdout, /The user may not do this in the database\n {2}fix: connect as the user who owns/)
    await changed(server.address('postgres'), 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader')
    assert.equal((await asUser('reader', 'tenant list')).code, 0)
    assert.deepEqual(await asUser('reader', CHANGE), { code: 77, stdout: '', stderr: NO_RIGHTS })
  })

  it('who may only read, as on a replica, ends with 77 after a change, and is not told to become root', async () => {
    assert.deepEqual(await asUser('replicated', CHANGE), { code: 77, stdout: '', stderr: NO_WRITES })
  })
})
