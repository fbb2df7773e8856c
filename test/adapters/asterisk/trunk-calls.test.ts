import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, describe, test } from 'node:test'
import { section } from '../../../adapters/asterisk/render/lines.ts'
import { toTrunk, trunkCalls } from '../../../adapters/asterisk/render/trunk-calls.ts'
import { readDialplan, run } from '../../support/switching/dialplan.ts'
import { trunk } from '../../support/switching/directory.ts'

const CARRIER = trunk('carrier', { host: '192.0.2.1', port: 5080 })
const contactAt = (uri: string): string => `_carrier@@${createHash('md5').update(uri).digest('hex')}`
const CONTACT = contactAt('sip:192.0.2.1:5080')

describe('what a call through a trunk of Asterisk dials', () => {
  let database: Map<string, string>
  beforeEach(() => {
    database = new Map()
  })
  const dialled = (status: string, carrier = CARRIER, contact = CONTACT): string | undefined => {
    const caller = section('test', [`exten => 1,1,${toTrunk(carrier, '+380501234567')}`, `same => n,Dial(\${TL_TO})`])
    const plan = readDialplan(trunkCalls([carrier]) + caller)
    return run(plan, { context: 'test', exten: '1', contacts: new Map([[contact, status]]), database })[0]?.args
  }

  test('the carrier itself, whether it answers OPTIONS or was not asked yet', () => {
    for (const status of ['Reachable', 'Unknown', 'NonQualified'])
      assert.equal(dialled(status), 'PJSIP/+380501234567@_carrier')
  })

  test('the address of a carrier that never answered OPTIONS, since Asterisk would refuse to call it', () => {
    assert.equal(dialled('Unreachable'), 'PJSIP/_carrier/sip:+380501234567@192.0.2.1:5080')
    const encrypted = trunk('carrier', { host: '2001:db8::1', port: 5061, transport: 'tls' })
    assert.equal(
      dialled('Unreachable', encrypted, contactAt('sip:[2001:db8::1]:5061;transport=tls')),
      String.raw`PJSIP/_carrier/sip:+380501234567@[2001:db8::1]:5061\;transport=tls`,
    )
  })

  test('nothing that waits for a carrier that answered OPTIONS before: Asterisk refuses it, and the next is tried', () => {
    dialled('Reachable')
    assert.equal(dialled('Unreachable'), 'PJSIP/+380501234567@_carrier')
  })

  test('the address of a carrier that has moved, until that one has answered', () => {
    dialled('Reachable')
    const moved = trunk('carrier', { host: '192.0.2.2', port: 5080 })
    assert.equal(
      dialled('Unreachable', moved, contactAt('sip:192.0.2.2:5080')),
      'PJSIP/_carrier/sip:+380501234567@192.0.2.2:5080',
    )
  })
})
