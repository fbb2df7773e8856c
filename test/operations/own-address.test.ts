import assert from 'node:assert/strict'
import { isIPv4 } from 'node:net'
import { test } from 'node:test'
import { urlAt } from '../../bin/own-address.ts'

test('a service on every address is known by one that can be reached, any other by its own', () => {
  assert.equal(urlAt('127.0.0.1', 8080), 'http://127.0.0.1:8080')
  assert.equal(urlAt('::1', 8080), 'http://[::1]:8080')
  for (const everywhere of ['0.0.0.0', '::']) {
    const { hostname, port } = new URL(urlAt(everywhere, 8080))
    assert.ok(isIPv4(hostname) && hostname !== '0.0.0.0', hostname)
    assert.equal(port, '8080')
  }
})
