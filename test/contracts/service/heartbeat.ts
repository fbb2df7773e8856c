import assert from 'node:assert/strict'
import { contract } from '../contract.ts'

export const heartbeatContract = contract('the heartbeat', ['heartbeat', 'maintenance'])
const { behaviour } = heartbeatContract

behaviour('a beat returns the moment that is stored, and the next beat takes its place', async given => {
  const { heartbeat, maintenance, clock } = given
  const before = clock.now()
  const first = await heartbeat.beat()
  assert.ok(first > before && first < clock.now())
  assert.equal(await maintenance.lastBeat(), first)
  const second = await heartbeat.beat()
  assert.ok(second > first)
  assert.equal(await maintenance.lastBeat(), second)
})
