import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { exitCodeOf } from '../../../adapters/cli/import/import.ts'
import { type Desk, openDesk } from '../../support/imports.ts'

const HEADER =
  'tenant,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'

let desk: Desk

beforeEach(async () => {
  desk = openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

/** A file of call records, with what stands in the place of the ordinary row on some lines; the first is line 2. */
const file = (count: number, others: Readonly<Record<number, string>>): string => {
  const rows = Array.from(
    { length: count },
    (_, i) => others[i + 2] ?? `acme,${i + 2},2,outbound,BUSY,0,0,1,2026-01-01`,
  )
  return `${[HEADER, ...rows].join('\n')}\n`
}

const BAD = 'acme,x,2,outbound,BUSY,0,0,bad,2026-01-01'

describe('an import that goes on', () => {
  it('ends as one that was never interrupted: rows rejected before make it end with 65, blank lines are told', async () => {
    const text = file(1500, { 3: BAD, 4: ',,,,,,,,' })
    const flags = ['--on-error', 'continue']
    const whole = await desk.take('cdrs', text, flags)
    assert.deepEqual([whole.summary.rejected, whole.summary.blank_lines], [1, [4]])
    assert.equal(exitCodeOf(whole.summary), 65)
    const again = await desk.take('cdrs', text, [...flags, '--resume'])
    assert.deepEqual([again.summary.rejected, again.summary.errors], [1, []])
    assert.equal(exitCodeOf(again.summary), 65)
    assert.deepEqual(again.summary.blank_lines, [4])
    assert.match(again.stderr, /1 blank \(line 4\)/)
  })
})
