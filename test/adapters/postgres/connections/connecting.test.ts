import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { openStorage } from '../../../../adapters/postgres/storage.ts'
import { AppError } from '../../../../core/errors.ts'
import { manualClock } from '../../../support/clock.ts'
import { newDatabase } from '../../../support/postgres/databases.ts'

/** A port of the loopback at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise(closed => server.close(closed))
  return typeof address === 'object' && address !== null ? address.port : 0
}

const withoutDatabase = async (): Promise<string> => (await newDatabase()).replace(/\/trunkline_test_\w+/, '/nowhere')
const withoutUser = async (): Promise<string> => (await newDatabase()).replace(/\/\/\w*@/, '//stranger@')

const FAILURES: readonly {
  readonly when: string
  readonly address: () => Promise<string>
  readonly code: AppError['code']
  readonly says: RegExp
  readonly advises: RegExp
}[] = [
  {
    when: 'nothing listens at the port',
    address: async () => `postgres://trunkline@127.0.0.1:${await closedPort()}/trunkline`,
    code: 'unavailable',
    says: /nothing listens there/,
    advises: /^start the server, and check its port/,
  },
  {
    when: 'the socket does not exist',
    address: async () => 'postgres:///trunkline?host=/nonexistent',
    code: 'unavailable',
    says: /there is no such socket/,
    advises: /unix_socket_directories/,
  },
  {
    when: 'the database does not exist',
    address: withoutDatabase,
    code: 'configuration',
    says: /there is no such database/,
    advises: /^createdb /,
  },
  {
    when: 'the user does not exist',
    address: withoutUser,
    code: 'configuration',
    says: /this user may not connect from here/,
    advises: /^check the user in the address/,
  },
]

for (const { when, address, code, says, advises } of FAILURES) {
  test(`when ${when}, the error says so and what to do`, async () => {
    await assert.rejects(openStorage(await address(), { clock: manualClock(), create: true }), error => {
      assert.ok(error instanceof AppError, String(error))
      assert.equal(error.code, code)
      assert.match(error.message, says)
      assert.match(error.details.hint ?? '', advises)
      return true
    })
  })
}
