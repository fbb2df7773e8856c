import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseDate } from '../../../core/dates.ts'
import type { Passwords } from '../../../core/ports/accounts.ts'
import type { Digests } from '../../../core/ports/digests.ts'
import type { Clock, Ids } from '../../../core/ports/system.ts'

/** The ports of core that the machine serves. */
export interface MachinePorts {
  readonly clock: () => Clock
  readonly ids: () => Ids
  readonly passwords: () => Passwords | Promise<Passwords>
  readonly digests: () => Digests
}

const BEHAVIOURS: { readonly [P in keyof MachinePorts]: (name: string, make: MachinePorts[P]) => void } = {
  clock: (name, make) => {
    test(`${name}: moments are timestamps in UTC, each later than the one before`, () => {
      const clock = make()
      const moments = Array.from({ length: 2_000 }, () => clock.now())
      assert.ok(moments.every(moment => parseDate(moment) === moment))
      assert.deepEqual(moments, [...new Set(moments)].sort())
    })
    test(`${name}: seconds never run backwards`, () => {
      const clock = make()
      const seconds = Array.from({ length: 100 }, () => clock.monotonic())
      assert.deepEqual(
        seconds,
        seconds.toSorted((a, b) => a - b),
      )
    })
  },
  ids: (name, make) => {
    test(`${name}: ids and passwords are never the same twice, and passwords have 120 bits`, () => {
      const ids = make()
      const made = Array.from({ length: 100 }, () => [ids.uuid(), ids.password()]).flat()
      assert.equal(new Set(made).size, made.length)
      assert.match(ids.uuid(), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      assert.match(ids.password(), /^[\w-]{20}$/)
    })
  },
  passwords: (name, make) => {
    test(`${name}: a hash proves its password and no other, and none is proven without a hash`, async () => {
      const passwords = await make()
      const hash = await passwords.hash('correct horse')
      assert.equal(await passwords.verify(hash, 'correct horse'), true)
      for (const wrong of ['Correct horse', 'correct horse ', ''])
        assert.equal(await passwords.verify(hash, wrong), false)
      assert.equal(await passwords.verify(null, 'correct horse'), false)
    })
  },
  digests: (name, make) => {
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
    test(`${name}: hashes and keyed hashes match the standards`, () => {
      const digests = make()
      assert.equal(hex(digests.hash('md5', Buffer.from('abc'))), '900150983cd24fb0d6963f7d28e17f72')
      assert.equal(hex(digests.hash('sha1', Buffer.from('abc'))), 'a9993e364706816aba3e25717850c26c9cd0d89d')
      // RFC 4231, test case 2, in pieces.
      const key = Buffer.from('Jefe')
      const data = ['what do ya want ', Buffer.from('for nothing?')]
      const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
      assert.equal(hex(digests.hmac('sha256', key, data)), expected)
    })
    test(`${name}: only the right key and data verify a signature, and a malformed one never verifies`, () => {
      const digests = make()
      // RFC 8032, section 7.1, test 2.
      const key = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex')
      const signature = Buffer.from(
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
        'hex',
      )
      assert.equal(digests.verifyEd25519(key, [Buffer.from('72', 'hex')], signature), true)
      assert.equal(digests.verifyEd25519(key, ['s'], signature), false)
      assert.equal(digests.verifyEd25519(key.subarray(1), ['r'], signature), false)
      assert.equal(digests.verifyEd25519(key, ['r'], signature.subarray(1)), false)
    })
    test(`${name}: bytes are equal to themselves, whatever their length`, () => {
      const { equal } = make()
      assert.equal(equal(Buffer.from('abc'), Buffer.from('abc')), true)
      for (const other of ['abd', 'ab', '']) assert.equal(equal(Buffer.from('abc'), Buffer.from(other)), false)
    })
  },
}

/** Tests that the given ports of the machine have every behaviour. */
export function proveMachine(name: string, { clock, ids, passwords, digests }: Partial<MachinePorts>): void {
  describe(`the machine's ports, as ${name} serves them`, () => {
    if (clock) BEHAVIOURS.clock('the clock', clock)
    if (ids) BEHAVIOURS.ids('ids', ids)
    if (passwords) BEHAVIOURS.passwords('passwords', passwords)
    if (digests) BEHAVIOURS.digests('digests', digests)
  })
}
