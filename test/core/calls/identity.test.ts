import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallMarks, isSameCall } from '../../../core/calls/identity.ts'

const at = (started_at: string, more: Partial<CallMarks> = {}): CallMarks => ({
  ...{ tenant_id: 1, destination_number: '380', started_at },
  ...more,
})
const noon = at('2026-10-01T12:00:00.000000Z')

test('two records of one call agree in tenant, destination and start', () => {
  assert.ok(isSameCall(noon, { ...noon }))
  assert.ok(!isSameCall(noon, { ...noon, tenant_id: 2 }))
  assert.ok(!isSameCall(noon, { ...noon, destination_number: '381' }))
  for (const start of ['2026-10-01T12:00:01.000000Z', '2026-10-01T11:59:59.999999Z', '2026-10-03T12:00:00.000000Z'])
    assert.ok(!isSameCall(noon, at(start)), start)
})

test('a start agrees with itself without fractions of a second, and as read by the clock of any zone', () => {
  assert.ok(isSameCall(noon, at('2026-10-01T12:00:00.654321Z')))
  for (const start of ['2026-10-01T15:00:00.000000Z', '2026-10-01T06:15:00.500000Z', '2026-10-02T14:00:00.000000Z'])
    assert.ok(isSameCall(noon, at(start)) && isSameCall(at(start), noon), start)
})
