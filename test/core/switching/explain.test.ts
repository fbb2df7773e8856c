import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideCall } from '../../../core/switching/decide-call.ts'
import { explainCall } from '../../../core/switching/explain.ts'
import { NO_CALLS } from '../../../core/switching/in-progress.ts'
import { did, extension, facts, queue, trunk } from '../../support/switching/directory.ts'

const lines = (...asked: Parameters<typeof decideCall>): string[] =>
  explainCall(decideCall(...asked)).map(({ about, text }) => `${about}: ${text}`)

test('an explanation of a call out names number, permission, rate, limits, route, trunks and destination', () => {
  const given = facts({
    trunks: [trunk('carrier-one', { status: 'inactive' }), trunk('carrier-two', { numberForm: 'digits' })],
    limits: { most: { cost_per_day: 100_000 }, maxSeconds: 600 },
    dids: [did('+380441234567', [{ type: 'extension', number: '101' }])],
  })
  assert.deepEqual(lines({ from: 'extension', extension: '101', dialled: '0501234567' }, given, NO_CALLS), [
    'tenant: acme is active',
    'caller: extension 101 (Desk 101) is active',
    'number: 0501234567 is a national number of UA: 380501234567',
    'allowed: yes, for the tenant: no prefix is blocked',
    'allowed: yes, for extension 101: no prefix is blocked',
    'rate: none matches, and none is required',
    'limit: cost_per_day of the tenant: 0.0000 of 10.0000',
    'route: of all tenants, for all numbers: carrier-one, carrier-two',
    'trunk: not carrier-one: it is inactive',
    'trunk: carrier-two takes it',
    'goes to: trunk carrier-two as 380501234567, shown as 380441234567',
    'ends: after 600 s',
  ])
})

test('an explanation of a call to a DID names the targets in order', () => {
  const given = facts({
    extensions: [extension('101', { hasVoicemail: true })],
    queues: [queue('800')],
    dids: [
      did('+380441234567', [
        { type: 'queue', number: '800' },
        { type: 'extension', number: '101' },
      ]),
    ],
  })
  assert.deepEqual(lines({ from: 'trunk', trunk: null, caller: '1', dialled: '380441234567' }, given, NO_CALLS), [
    'tenant: acme is active',
    'number: 380441234567 is an international number: 380441234567',
    'inside: +380441234567 is a DID of the tenant',
    'goes to: queue 800 (no active agent), for 60 s',
    'else to: extension 101, for 25 s',
    'else to: voicemail of extension 101',
  ])
})

test('an explanation of a call for messages names the mailbox, or why it has none', () => {
  const given = facts({ extensions: [extension('101', { hasVoicemail: true }), extension('102')] })
  const last = (number: string): string | undefined =>
    lines({ from: 'extension', extension: number, dialled: '*97' }, given, NO_CALLS).at(-1)
  assert.equal(last('101'), 'goes to: the messages of extension 101')
  assert.equal(last('102'), 'refused: no voicemail: extension 102 of tenant acme has no voicemail')
})

test('an explanation of a refused call ends with the reason', () => {
  const given = facts({ limits: { blockedPrefixes: ['380'] } })
  assert.deepEqual(lines({ from: 'extension', extension: '101', dialled: '0501234567' }, given, NO_CALLS).slice(-2), [
    'allowed: no, for the tenant: prefix 380',
    'refused: prefix blocked: tenant acme may not call numbers that begin with 380',
  ])
})
