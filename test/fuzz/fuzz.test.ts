import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './run.ts'
import { staysHere } from './values.ts'

test('generated input, valid and broken, is answered as documented and leaves no resources behind', async () => {
  const { problems, statuses, rounds } = await fuzz({
    rounds: 1,
    share: 0.5,
    seed: 5,
    maxSeconds: 120,
    print: () => undefined,
  })
  assert.deepEqual(problems, [])
  assert.equal(rounds, 1)
  for (const status of [200, 201, 400, 401, 403, 404, 405, 415, 422]) assert.ok(statuses[status], `no ${status}`)
})

test('no generated gateway points to another machine', () => {
  assert.equal(staysHere('{"server_host":"127.0.0.1"}'), true)
  assert.equal(staysHere('{"server_host":"sms.example.com"}'), false)
  assert.equal(staysHere('{"server_host":"\\u0073ms.example.com"}'), false)
})
