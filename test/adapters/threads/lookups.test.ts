import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel, Worker } from 'node:worker_threads'
import { peer } from '../../../adapters/threads/peer.ts'
import { threads } from '../../../adapters/threads/threads.ts'

/** A thread that has begun as soon as it is asked, and fails at the first lookup. */
const FAILING = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id, method }) => {
    if (method === 'answer') setImmediate(() => { throw new TypeError('a bug') })
    else parentPort.postMessage({ kind: 'result', id, value: 'http://127.0.0.1:1' })
  })
`

/** A thread that begins, and hangs at the next request. */
const STUCK = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id, method }) => {
    if (method === 'begin') parentPort.postMessage({ kind: 'result', id, value: null })
    else for (;;);
  })
`

const onStuck = (): void => assert.fail('it is not stuck')
const begin = (program: string, onDeath: (reason: unknown) => void) =>
  threads.lookups(() => new Worker(program, { eval: true }), {}, { onDeath, onStuck })

test('a thread that dies fails what waits for it, and is reported once', async () => {
  const reasons: unknown[] = []
  const thread = new Worker(FAILING, { eval: true })
  const ended = new Promise(resolve => thread.once('exit', resolve))
  const lookups = await threads.lookups(() => thread, {}, { onStuck, onDeath: reason => reasons.push(reason) })
  await assert.rejects(lookups.answer(''), /a bug/)
  await assert.rejects(lookups.shown([], 0), /a bug/)
  await ended
  assert.deepEqual(reasons.map(String), ['TypeError: a bug'])
})

test('a thread that cannot begin fails with its reason, and is not reported as dead', async () => {
  const reasons: unknown[] = []
  await assert.rejects(
    begin(`throw new TypeError('a bug')`, reason => reasons.push(reason)),
    /a bug/,
  )
  await assert.rejects(
    begin('', reason => reasons.push(reason)),
    /ended with 0/,
  )
  assert.deepEqual(reasons, [])
})

test('a thread that is closed is not reported as dead', async () => {
  const reasons: unknown[] = []
  const lookups = await begin(FAILING, reason => reasons.push(reason))
  await lookups.close()
  assert.deepEqual(reasons, [])
})

test('a thread that hangs is stopped after some time, and said to be stuck', async () => {
  const said: unknown[] = []
  const thread = new Worker(STUCK, { eval: true })
  const watching = { onDeath: () => said.push('died'), onStuck: (ms: number) => said.push(ms) }
  const lookups = await threads.lookups(() => thread, {}, watching, 50)
  const asked = assert.rejects(lookups.shown([], 0), /ended with 1/)
  await lookups.close()
  await asked
  assert.deepEqual(said, [50])
})

test('what a thread has reported last arrives before it has ended', async () => {
  const { port1, port2 } = new MessageChannel()
  const arrived: unknown[] = []
  const ours = { reported: (all: unknown) => arrived.push(all) }
  const there = peer<{ begin(): Promise<string | null>; end(): Promise<void> }>(port1, ours)
  threads.serve.lookups<{ noted(what: string): void }>(async report => {
    report('noted', 'begun')
    const close = async (): Promise<void> => report('noted', 'closed')
    return { url: null, answer: async () => '', shown: async () => 0, ended: async () => undefined, close }
  }, port2)
  await there.call('begin')
  await there.call('end')
  assert.deepEqual(arrived.flat(), [
    ['noted', ['begun']],
    ['noted', ['closed']],
  ])
  port1.close()
})
