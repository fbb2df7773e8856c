import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideCall } from '../../../core/switching/decide-call.ts'
import type { CallDecision, Refusal } from '../../../core/switching/decision.ts'
import { NO_CALLS } from '../../../core/switching/in-progress.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { dial, extension, facts, liveCall, NO_LIMITS, queue, trunk } from '../../support/switching/directory.ts'

/** What FreeSWITCH runs where it stands in a dialplan. */
const COMMAND = `\${system(id)}`

const REFUSED: Readonly<Record<string, readonly [Refusal, CallDecision]>> = {
  'of a suspended tenant': ['tenant not active', dial('102', facts({ tenant: { status: 'suspended' } }))],
  'of a tenant with an unknown status': ['tenant not active', dial('102', facts({ tenant: { status: 'Active' } }))],
  'of a tenant whose slug is a command': ['unfit tenant', dial('102', facts({ tenant: { slug: COMMAND } }))],
  'of a tenant whose domain is none': ['unfit tenant', dial('102', facts({ tenant: { domain: 'a b,c' } }))],
  'from no extension': ['unknown extension', dial('102', facts(), [], '999')],
  'from a disabled extension': [
    'extension not active',
    dial('102', facts({ extensions: [extension('101', { status: 'disabled' }), extension('102')] })),
  ],
  'to a disabled extension': [
    'extension not active',
    dial('102', facts({ extensions: [extension('101'), extension('102', { status: 'disabled' })] })),
  ],
  'to an inactive queue': ['queue not active', dial('800', facts({ queues: [queue('800', { status: 'inactive' })] }))],
  'to a text': ['unfit number', dial(COMMAND, facts())],
  'to a number of 31 digits': ['unfit number', dial('1'.repeat(31), facts())],
  'to a number that the country has not': [
    'unknown number',
    dial('105', facts({ settings: { dialling: { country: 'US' } } })),
  ],
  'to a local number without an area code': ['unknown number', dial('2345678', facts())],
  'to the messages of an extension without voicemail': ['no voicemail', dial('*97', facts())],
  'that is sent on to a mailbox': [
    'no voicemail',
    decideCall(
      { from: 'extension', extension: '101', dialled: '*97', isSentOn: true },
      facts({ extensions: [extension('101', { hasVoicemail: true })] }),
      NO_CALLS,
    ),
  ],
  'to the messages of an extension in a tenant with too many calls': [
    'limit reached',
    dial(
      '*97',
      facts({ extensions: [extension('101', { hasVoicemail: true })], limits: { most: { concurrent_calls: 1 } } }),
      [liveCall()],
    ),
  ],
  'to a feature code that nothing has': ['unknown number', dial('*98', facts())],
  'to a mistyped extension without a country': ['unknown number', dial('205', facts({ settings: {} }))],
  'without a route': ['no trunk', dial('0501234567', facts({ routes: [] }))],
  'to a route of another prefix': [
    'no trunk',
    dial('0501234567', facts({ routes: [{ id: 1, tenant_id: null, prefix: '44', trunks: ['carrier-one'] }] })),
  ],
  'through an inactive trunk': [
    'no trunk',
    dial('0501234567', facts({ trunks: [trunk('carrier-one', { status: 'off' })] })),
  ],
  'through a trunk whose name is a command': ['no trunk', dial('0501234567', facts({ trunks: [trunk('a,b')] }))],
  'without a rate where one is wanted': ['no rate', dial('0501234567', facts({ limits: { ratedOnly: true } }))],
  'whose rate was not looked up': [
    'no rate',
    dial('0501234567', facts({ limits: { ratedOnly: true } }, { rate: undefined })),
  ],
  'to a blocked prefix': ['prefix blocked', dial('0501234567', facts({ limits: { blockedPrefixes: ['38'] } }))],
  'to a prefix that is blocked for the extension': [
    'prefix blocked',
    dial('0501234567', facts({ ofExtension: { blockedPrefixes: [''] } })),
  ],
  'to a prefix that is not among the allowed': [
    'prefix not allowed',
    dial('0501234567', facts({ limits: { allowedPrefixes: ['44'] } })),
  ],
  'of a tenant with a limit that cannot be read': [
    'limit unreadable',
    dial('0501234567', facts({ limits: { unreadable: ['cost_per_day'] } })),
  ],
  'past the cost of a day': [
    'limit reached',
    dial(
      '0501234567',
      facts(
        { limits: { most: { cost_per_day: 500 } } },
        { used: { tenant: { ...NOTHING_USED, cost_per_day: 500 }, extension: NOTHING_USED } },
      ),
    ),
  ],
  'past the calls of an hour, with those that are up': [
    'limit reached',
    dial(
      '0501234567',
      facts(
        { ofExtension: { most: { calls_per_hour: 3 } } },
        { used: { tenant: NOTHING_USED, extension: { ...NOTHING_USED, calls_per_hour: 2 } } },
      ),
      [liveCall()],
    ),
  ],
  'inside, past the concurrent calls': [
    'limit reached',
    dial('102', facts({ limits: { most: { concurrent_calls: 1 } } }), [
      liveCall({ direction: 'inbound', extension: null }),
    ]),
  ],
}

for (const [what, [refusal, decision]] of Object.entries(REFUSED))
  test(`a call ${what} is refused: ${refusal}`, () => {
    assert.equal(decision.refusal, refusal)
    assert.ok(decision.refusal !== null && decision.reason !== '')
  })

test('the longest prefix decides, blocked or allowed', () => {
  const limits = { blockedPrefixes: ['3805', '44'], allowedPrefixes: ['380', '44', '38050'] }
  const out = (dialled: string): unknown => dial(dialled, facts({ limits })).refusal
  assert.deepEqual(
    [out('0441234567'), out('0501234567'), out('+380591234567'), out('+442071234567'), out('+12125550100')],
    [null, null, 'prefix blocked', 'prefix blocked', 'prefix not allowed'],
  )
})

test('a limit counts the calls of its own tenant and extension alone', () => {
  const most = { concurrent_calls: 1, calls_per_hour: 1 }
  const others = [liveCall({ tenant: 'beta' }), liveCall({ extension: '102' })]
  assert.equal(dial('0501234567', facts({ ofExtension: { most } }), others).refusal, null)
  assert.equal(dial('0501234567', facts({ limits: { most } }), others).refusal, 'limit reached')
})

test('an extension with its own limits follows those', () => {
  const given = facts({ ofExtension: { blockedPrefixes: [''] } })
  const limits = { ...given.directory.limits, extensions: new Map([['101', NO_LIMITS]]) }
  const own = { ...given, directory: { ...given.directory, limits } }
  assert.deepEqual(
    [dial('0501234567', own).refusal, dial('0501234567', own, [], '102').refusal],
    [null, 'prefix blocked'],
  )
})
