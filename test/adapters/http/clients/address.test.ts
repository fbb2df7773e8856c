import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../../../adapters/http/clients/address.ts'

test('an IPv4 address is a sender of its own, mapped into IPv6 or not', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
})

test('all addresses of a /64 are one sender', () => {
  assert.equal(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:2:ffff::9'))
  assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'))
})

test('text that is not an address identifies itself', () => assert.equal(networkOf('unknown'), 'unknown'))
