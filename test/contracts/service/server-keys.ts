import assert from 'node:assert/strict'
import { contract } from '../contract.ts'

export const serverKeysContract = contract('server keys', ['serverKeys'])
const { behaviour } = serverKeysContract

behaviour('a key is 32 random bytes, each name having its own', async ({ serverKeys }) => {
  const [one, other] = [await serverKeys.find('one'), await serverKeys.find('other')]
  for (const key of [one, other]) {
    assert.match(key, /^[\w-]{43}$/)
    assert.equal(Buffer.from(key, 'base64url').length, 32)
  }
  assert.notEqual(one, other)
})

behaviour('a key stays the same, even if several ask for it first', async ({ serverKeys }) => {
  const keys = await Promise.all([serverKeys.find('one'), serverKeys.find('one'), serverKeys.find('one')])
  assert.deepEqual(new Set([...keys, await serverKeys.find('one')]).size, 1)
})
