import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasPassword, isServerAddress, withoutPassword } from '../../core/database-address.ts'

test('a path is shown as it is, whatever it contains', () => {
  for (const path of ['data/trunkline.db', '/srv/a:b@c/trunkline.db', ':memory:', '/srv/x?password=y']) {
    assert.equal(isServerAddress(path), false)
    assert.equal(withoutPassword(path), path)
  }
})

test('no password of an address is shown, even if the address is wrong', () => {
  const shown = {
    'postgres://ann:hidden@db.example.com/trunkline': 'postgres://ann@db.example.com/trunkline',
    'postgresql://ann:hid/d?en@[::1]:5433/x?sslmode=verify-full': 'postgresql://ann@[::1]:5433/x?sslmode=verify-full',
    'POSTGRES://ann:hid@den@h/x': 'POSTGRES://ann@h/x',
    'postgres://:hidden@/x?host=/run/postgresql': 'postgres://@/x?host=/run/postgresql',
    'postgres://ann@h/x?password=hidden&sslmode=require': 'postgres://ann@h/x?sslmode=require',
    'postgres://ann@h/x?sslmode=require&password=hidden': 'postgres://ann@h/x?sslmode=require',
    'postgres://ann:hidden@': 'postgres://ann@',
  }
  for (const [address, expected] of Object.entries(shown)) {
    assert.equal(withoutPassword(address), expected)
    assert.ok(hasPassword(address))
  }
  assert.equal(hasPassword('postgres://ann@h:5433/x?sslmode=require'), false)
})
