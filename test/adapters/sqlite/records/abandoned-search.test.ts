import assert from 'node:assert/strict'
import { request } from 'node:http'
import { mock, test } from 'node:test'
import type { Turn } from '../../../../adapters/sqlite/database/turns.ts'
import { startWorld } from '../../../support/data/records.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { storeCalls, untilStill } from '../../../support/http/lists.ts'

test('a long list is not searched to its end when its client goes away before anything was found, which is not an error', async () => {
  const world = await startWorld()
  await storeCalls(world.service.trunkline.storage, 30_000)
  const { turns } = sqliteOf(world.service.trunkline.storage).connection
  const begin = turns.begin.bind(turns)
  let steps = 0
  const counted = mock.method(turns, 'begin', (signal?: AbortSignal): Turn => {
    const take = begin(signal)
    return step =>
      take(() => {
        steps++
        return step()
      })
  })
  const { hostname, port } = new URL(world.service.url)
  const searches = Array.from({ length: 40 }, () => {
    const path = '/api/cdrs?search=zz'
    const search = request({ hostname, port, path, headers: { cookie: world.session }, agent: false })
    search.on('error', () => undefined)
    search.end()
    return search
  })
  while (steps < 80) await new Promise(setImmediate)
  for (const search of searches) search.destroy()
  await untilStill(world, () => steps)
  counted.mock.restore()
  assert.ok(steps < 400, `${steps} steps of some 640`)
  assert.ok(world.service.logged.every(line => JSON.parse(line).level < 50))
  await world.close()
})
