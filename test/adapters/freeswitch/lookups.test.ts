import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { freeswitchLookups } from '../../../adapters/freeswitch/lookups/lookups.ts'
import type { SwitchLookups } from '../../../core/ports/switching/lookups.ts'
import type { LiveCall } from '../../../core/ports/switching.ts'
import { manualClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { directory, extension } from '../../support/switching/directory.ts'
import { actionsIn, callForm, directoryOf, KEY, registerForm, valuesIn } from '../../support/switching/freeswitch.ts'

const acme = directory({
  extensions: [extension('101'), extension('102')],
  limits: { most: { concurrent_calls: 1 } },
})
const started = (patienceMs: number, cdrFolder: string | null = null): SwitchLookups =>
  freeswitchLookups(
    { directory: directoryOf(() => [acme]), clock: manualClock(), key: KEY, cdrFolder, onDecision: () => undefined },
    patienceMs,
  )
const form = (given: Record<string, string>): string => new URLSearchParams(given).toString()
const UP: LiveCall = {
  ...{ id: 'up', tenant: 'acme', extension: '102', from: '102', to: '101', trunk: null },
  ...{ direction: 'internal', startedAt: '2026-01-01T00:00:00.000000Z', answeredAt: null },
}

test('after a start, a call is decided once the switch has shown those in progress', async () => {
  const lookups = started(60_000)
  const answer = lookups.answer(form(callForm()))
  await nextTurn()
  await lookups.shown([UP], 0)
  assert.ok(actionsIn(await answer).includes('respond 403 Forbidden'))
})

test('after a start, a registration is answered at once, and a call after a while even if the switch shows nothing', async () => {
  assert.ok(valuesIn(await started(60_000).answer(form(registerForm())))['a1-hash'])
  const answer = started(0).answer(form(callForm()))
  // Its own wait keeps no program from ending.
  await pause(1)
  const actions = actionsIn(await answer)
  assert.ok(actions.includes('bridge user/102@acme.example.com'))
})

test('after a start, a call is decided once the records are stored that the switch could not post before', async () => {
  const { path, remove } = temporaryFolder()
  const [first, second] = ['1.cdr.json', '2.cdr.json'].map(name => join(path, name))
  assert.ok(first && second)
  for (const file of [first, second]) writeFileSync(file, '{}')
  const lookups = started(60_000, path)
  let isDecided = false
  const answer = lookups.answer(form(callForm())).then(text => {
    isDecided = true
    return text
  })
  await lookups.shown([], 0)
  rmSync(first)
  await pause(50)
  assert.equal(isDecided, false)
  // The switch leaves another: only those of the start count.
  writeFileSync(join(path, '3.cdr.json'), '{}')
  rmSync(second)
  assert.ok(actionsIn(await answer).includes('bridge user/102@acme.example.com'))
  remove()
})

test('after a start, a record that is never stored holds calls up for a while only', async () => {
  const { path, remove } = temporaryFolder()
  writeFileSync(join(path, '1.cdr.json'), '{}')
  const lookups = started(100, path)
  await lookups.shown([], 0)
  assert.ok(actionsIn(await lookups.answer(form(callForm()))).includes('bridge user/102@acme.example.com'))
  remove()
})
