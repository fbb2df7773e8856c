import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fairQueue } from '../../../../adapters/http/clients/fair-queue.ts'

/** A queue whose acts run until the test ends them, one by one. */
function held(options: { atOnce: number; maxWaiting: number }) {
  const queue = fairQueue(options)
  const started: string[] = []
  const releases: (() => void)[] = []
  const run = (account: string, address: string): Promise<string> =>
    queue
      .run({ account, address }, async () => {
        started.push(`${account}@${address}`)
        await new Promise<void>(resolve => releases.push(resolve))
        return 'done'
      })
      .catch((error: { code?: string }) => error.code ?? 'failed')
  const turn = () => new Promise(resolve => setImmediate(resolve))
  return {
    run,
    started,
    /** Ends the oldest running act until none is left. */
    drain: async (): Promise<void> => {
      await turn()
      for (let release = releases.shift(); release; release = releases.shift()) {
        release()
        await turn()
      }
    },
  }
}

describe('a fair queue', () => {
  it('runs the logins of one account, and of one address, one after the other', async () => {
    const { run, started, drain } = held({ atOnce: 4, maxWaiting: 10 })
    const all = [run('a', '1'), run('a', '2'), run('b', '1'), run('b', '2')]
    await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(started, ['a@1', 'b@2'])
    await drain()
    assert.deepEqual(await Promise.all(all), ['done', 'done', 'done', 'done'])
  })

  it('lets nobody wait behind a flood from one address', async () => {
    const { run, started, drain } = held({ atOnce: 1, maxWaiting: 1_000 })
    const all = Array.from({ length: 500 }, (_, i) => run(`guess${i}`, 'flood'))
    all.push(run('me', 'home'))
    await drain()
    assert.ok(started.indexOf('me@home') <= 5, String(started.indexOf('me@home')))
    await Promise.all(all)
  })

  it('lets nobody wait behind a flood on another account from everywhere', async () => {
    const { run, started, drain } = held({ atOnce: 1, maxWaiting: 1_000 })
    const all = Array.from({ length: 500 }, (_, i) => run('victim', `bot${i}`))
    all.push(run('me', 'home'))
    await drain()
    assert.ok(started.indexOf('me@home') <= 5, String(started.indexOf('me@home')))
    await Promise.all(all)
  })

  it('that is full refuses whoever has the most waiting, not a newcomer', async () => {
    const { run, started, drain } = held({ atOnce: 1, maxWaiting: 10 })
    const flood = Array.from({ length: 30 }, (_, i) => run(`guess${i}`, 'flood'))
    const mine = run('me', 'home')
    await drain()
    assert.equal(await mine, 'done')
    const outcomes = await Promise.all(flood)
    assert.equal(outcomes.filter(outcome => outcome === 'busy').length, 20)
    assert.ok(started.includes('me@home'))
  })

  it('that is full of single requests refuses the next', async () => {
    const { run, drain } = held({ atOnce: 1, maxWaiting: 3 })
    const all = Array.from({ length: 5 }, (_, i) => run(`a${i}`, `b${i}`))
    await drain()
    assert.deepEqual(await Promise.all(all), ['done', 'done', 'done', 'done', 'busy'])
  })

  it('continues after an error', async () => {
    const queue = fairQueue({ atOnce: 1, maxWaiting: 3 })
    const turn = { account: 'a', address: '1' }
    await assert.rejects(
      queue.run(turn, async () => {
        throw new Error('no')
      }),
      /no/,
    )
    assert.equal(await queue.run(turn, async () => 'yes'), 'yes')
  })
})
