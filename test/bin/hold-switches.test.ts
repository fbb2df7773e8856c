import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { holdSwitches } from '../../bin/daemon/hold-switches.ts'
import type { Roster } from '../../bin/daemon/roster.ts'
import type { Served } from '../../bin/serving.ts'
import { NOTHING_CHANGED } from '../../core/switching/changes.ts'

type Work = Parameters<Roster['hold']>[1]

/** A switch whose connections are noted, and a duty that the test gives to this daemon. */
function world({ isShared, mounts }: { readonly isShared: boolean; readonly mounts: Served['mounts'] }) {
  const noted: string[] = []
  const stopping = new AbortController()
  let work: Work = async () => undefined
  let connections = 0
  let onReconciled = (): void => undefined
  const served: Served = {
    name: 'freeswitch 192.0.2.1:8021',
    mounts,
    folder: null,
    close: async () => undefined,
    follower: {
      kind: 'freeswitch',
      state: () => ({ isConnected: connections > 0, pending: [] }),
      reconcile: async () => {
        noted.push('reconciled')
        onReconciled()
      },
      run: async (onDue, signal) => {
        noted.push(`connected, ${++connections} at once`)
        onDue('all')
        if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
        connections--
      },
    },
  }
  const duties: Roster = {
    has: () => false,
    all: () => [],
    hold: (_, given) => {
      work = given
      return new Promise(resolve => stopping.signal.addEventListener('abort', () => resolve()))
    },
  }
  const changes = { next: async () => ({ records: NOTHING_CHANGED, calls: NOTHING_CHANGED }) }
  const { done } = holdSwitches(
    duties,
    [served],
    { isShared, switchChanges: () => changes },
    { log: pino({ level: 'silent' }), signal: stopping.signal },
  )
  /** Has the duty until the switch agrees with the database. */
  const serve = async (): Promise<void> => {
    const lost = new AbortController()
    const reconciled = new Promise<void>(resolve => {
      onReconciled = resolve
    })
    const serving = work(AbortSignal.any([lost.signal, stopping.signal]))
    await reconciled
    lost.abort()
    await serving
  }
  const stop = async (): Promise<readonly string[]> => {
    stopping.abort()
    await Promise.all(done)
    assert.equal(connections, 0)
    return noted
  }
  return { serve, stop }
}

const MOUNTS: Served['mounts'] = [
  { path: '/freeswitch/xml', largest: 1, answer: async () => ({ status: 200, type: 'text/xml', body: '' }) },
]

test('a daemon without the duty of a switch watches its calls if it answers its lookups, and never changes it', async () => {
  const { serve, stop } = world({ isShared: true, mounts: MOUNTS })
  await serve()
  await serve()
  const connected = 'connected, 1 at once'
  assert.deepEqual(await stop(), [connected, connected, 'reconciled', connected, connected, 'reconciled', connected])
})

for (const [title, parts] of [
  ['whose lookups it does not answer', { isShared: true, mounts: [] }],
  ['that no other daemon can have', { isShared: false, mounts: MOUNTS }],
] as const)
  test(`a daemon connects to a switch ${title} only with its duty`, async () => {
    const { serve, stop } = world(parts)
    await serve()
    assert.deepEqual(await stop(), ['connected, 1 at once', 'reconciled'])
  })
