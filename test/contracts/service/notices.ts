import assert from 'node:assert/strict'
import { contract } from '../contract.ts'

export const noticesContract = contract('notices', ['notices'])
const { behaviour } = noticesContract

behaviour('a notice is kept with when it was raised', async ({ notices, clock }) => {
  const before = clock.now()
  await notices.raise({ code: 'untrusted_proxy', subject: '', detail: 'from 192.0.2.1' })
  const [notice, ...others] = await notices.list()
  assert.ok(notice && others.length === 0)
  const { firstAt, lastAt, ...raised } = notice
  assert.deepEqual(raised, { code: 'untrusted_proxy', subject: '', detail: 'from 192.0.2.1' })
  assert.ok(firstAt > before && firstAt === lastAt)
})

behaviour('a notice that is raised again keeps its first moment, and gets the new detail', async ({ notices }) => {
  await notices.raise({ code: 'a', subject: 'one', detail: 'old' })
  const [first] = await notices.list()
  await notices.raise({ code: 'a', subject: 'one', detail: 'new' })
  const [again, ...others] = await notices.list()
  assert.deepEqual([again?.detail, again?.firstAt, others], ['new', first?.firstAt, []])
  assert.ok(String(again?.lastAt) > String(first?.lastAt))
})

behaviour('notices are listed by their code and subject', async ({ notices }) => {
  for (const [code, subject] of [
    ['b', 'x'],
    ['a', 'y'],
    ['a', ''],
    ['a', 'x'],
  ] as const)
    await notices.raise({ code, subject, detail: '' })
  assert.deepEqual(
    (await notices.list()).map(({ code, subject }) => code + subject),
    ['a', 'ax', 'ay', 'bx'],
  )
})

behaviour('clearing a notice removes it, and no other', async ({ notices }) => {
  for (const subject of ['', 'one', 'two']) await notices.raise({ code: 'a', subject, detail: '' })
  await notices.raise({ code: 'b', subject: 'one', detail: '' })
  await notices.clear('a', 'one')
  await notices.clear('a')
  await notices.clear('c')
  assert.deepEqual(
    (await notices.list()).map(({ code, subject }) => code + subject),
    ['atwo', 'bone'],
  )
})
