import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bodyBudget, type Share } from '../../../../adapters/http/bodies/body-budget.ts'

/** Shares that note which body had to give up. */
function opener(total: number) {
  const budget = bodyBudget(total)
  const gaveUp: string[] = []
  const open = (name: string): Share => {
    const share = budget.open(() => {
      gaveUp.push(name)
      share.release()
    })
    return share
  }
  return { open, gaveUp }
}

describe('the budget of bodies', () => {
  it('gives bytes until it is spent, and reuses those that were returned', () => {
    const { open, gaveUp } = opener(100)
    const [first, second] = [open('first'), open('second')]
    assert.ok(first.take(60))
    first.settle()
    assert.ok(second.take(40))
    second.settle()
    assert.ok(!open('third').take(1))
    first.release()
    first.release()
    assert.ok(!open('fourth').take(61))
    assert.ok(open('fifth').take(60))
    assert.deepEqual(gaveUp, [])
  })

  it('takes from the body that has been arriving for longest, for one that begins', () => {
    const { open, gaveUp } = opener(100)
    for (const name of ['first', 'second', 'third', 'fourth']) assert.ok(open(name).take(25))
    assert.ok(open('late').take(30))
    assert.deepEqual(gaveUp, ['first', 'second'])
  })

  it('never takes from a body that is whole', () => {
    const { open, gaveUp } = opener(100)
    const whole = open('whole')
    assert.ok(whole.take(80))
    whole.settle()
    assert.ok(open('coming').take(20))
    assert.ok(!open('late').take(30))
    assert.deepEqual(gaveUp, ['coming'])
  })
})
