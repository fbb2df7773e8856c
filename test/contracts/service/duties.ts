import assert from 'node:assert/strict'
import { contract } from '../contract.ts'

export const dutiesContract = contract('duties', ['duties'])
const { behaviour } = dutiesContract

behaviour(
  'the work of a duty begins, begins again once it has returned, and ends with the signal',
  async ({ duties }) => {
    const ending = new AbortController()
    // A daemon listens; without that, nothing keeps the process.
    const listening = setInterval(() => undefined, 1_000)
    let begun = 0
    await duties.hold(
      'feed',
      async signal => {
        begun++
        assert.equal(signal.aborted, false)
        if (begun === 1) return
        ending.abort()
        assert.equal(signal.aborted, true)
      },
      ending.signal,
    )
    clearInterval(listening)
    assert.equal(begun, 2)
  },
)

behaviour('a duty that is free is done once, and what its work throws is thrown', async ({ duties }) => {
  let done = 0
  assert.equal(
    await duties.attempt('job 1', async lost => {
      assert.equal(lost.aborted, false)
      done++
    }),
    true,
  )
  assert.equal(done, 1)
  await assert.rejects(
    duties.attempt('job 1', () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  assert.equal(await duties.attempt('job 1', async () => undefined), true)
})

behaviour('a duty ends as its work fails', async ({ duties }) => {
  const never = new AbortController()
  const failing = duties.hold('feed', () => Promise.reject(new Error('broken')), never.signal)
  await assert.rejects(failing, { message: 'broken' })
})
