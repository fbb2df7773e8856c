import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { pino } from 'pino'
import { createMetrics } from '../../../adapters/http/metrics.ts'
import { noting } from '../../../adapters/http/noting.ts'

test('cut connections are counted one by one, and logged in one line for ten seconds', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const logged: string[] = []
  const metrics = createMetrics()
  const { onCut } = noting(pino({ base: null }, { write: line => void logged.push(line) }), metrics)
  for (let n = 0; n < 1_000; n++) onCut?.(n % 10 === 0 ? 'full' : 'crowded')
  mock.timers.tick(9_999)
  assert.deepEqual(logged, [])
  mock.timers.tick(1)
  onCut?.('idle')
  mock.timers.tick(10_000)
  assert.deepEqual(
    logged.map(line => JSON.parse(line)).map(({ time: _, ...line }) => line),
    [
      { level: 40, full: 100, crowded: 900, msg: 'connections cut' },
      { level: 40, idle: 1, msg: 'connections cut' },
    ],
  )
  assert.match(await metrics.text(), /^trunkline_http_connections_cut_total\{reason="crowded"\} 900$/m)
  mock.timers.reset()
})
