import assert from 'node:assert/strict'
import { beforeEach, describe, mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Manager } from '../../../adapters/asterisk/manager.ts'
import { type MarkedFile, MODULES, marked } from '../../../adapters/asterisk/marked.ts'
import { type Reloader, reloader } from '../../../adapters/asterisk/reloader.ts'
import { FILES, type FileName } from '../../../adapters/asterisk/render/files.ts'
import { AppError } from '../../../core/errors.ts'

/** Time passes by `tick` alone. */
describe('reloads of Asterisk', () => {
  let now: number
  let begun: FileName[]
  let loaded: Set<string>
  let troubles: unknown[]
  let wanted: Record<FileName, MarkedFile>
  let reloads: Reloader
  /** How a reload ends. */
  let outcome: () => Promise<void>

  const tick = async (ms: number): Promise<void> => {
    now += ms
    mock.timers.tick(ms)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
  }
  const change = (name: FileName, text: string): void => {
    wanted = { ...wanted, [name]: marked(name, text) }
  }
  const manager: Manager = {
    ask: async ({ Module }) => {
      const name = FILES.find(each => MODULES[each].module === Module) ?? assert.fail(Module)
      begun.push(name)
      const { marker } = wanted[name]
      await outcome()
      loaded.add(marker)
      return new Map()
    },
    command: async text => {
      const name = FILES.find(each => text === MODULES[each].show(wanted[each].marker))
      const marker = name === undefined ? '' : wanted[name].marker
      return loaded.has(marker) ? marker : 'No such marker'
    },
    list: async () => [],
    close: () => undefined,
    closed: new Promise(() => undefined),
  }
  const start = async (): Promise<void> => {
    reloads.want(wanted, true)
    await reloads.begin(manager)
    for (const _ of FILES) await tick(0)
    begun = []
  }

  beforeEach(() => {
    mock.timers.reset()
    mock.timers.enable({ apis: ['setTimeout'] })
    ;[now, begun, loaded, troubles, outcome] = [0, [], new Set(), [], async () => undefined]
    wanted = {
      extensions: marked('extensions', 'a'),
      pjsip: marked('pjsip', 'a'),
      queues: marked('queues', 'a'),
      voicemail: marked('voicemail', 'a'),
    }
    reloads = reloader({ now: () => now, onTaken: () => undefined, onTrouble: error => troubles.push(error) })
  })

  test('changes within 0.2 s are one reload', async () => {
    await start()
    for (const text of ['b', 'c']) {
      change('queues', text)
      reloads.want(wanted, false)
      await tick(90)
    }
    assert.deepEqual(begun, [])
    await tick(20)
    assert.deepEqual(begun, ['queues'])
    assert.deepEqual(reloads.waiting(), [])
  })

  test('after a long reload the next one rests ten times as long, unless a phone must be refused', async () => {
    await start()
    outcome = async () => {
      now += 1_000
    }
    change('pjsip', 'b')
    reloads.want(wanted, true)
    await tick(0)
    change('pjsip', 'c')
    reloads.want(wanted, false)
    await tick(9_900)
    assert.deepEqual([begun, reloads.waiting()], [['pjsip'], ['pjsip']])
    change('pjsip', 'd')
    reloads.want(wanted, true)
    await tick(60)
    assert.deepEqual([begun, reloads.waiting()], [['pjsip', 'pjsip'], []])
  })

  test('a file that is written again before the switch reads it is not reloaded twice', async () => {
    await start()
    outcome = async () => {
      for (const text of ['c', 'd']) {
        change('pjsip', text)
        reloads.want(wanted, true)
      }
      loaded.add(wanted.pjsip.marker)
    }
    change('pjsip', 'b')
    reloads.want(wanted, true)
    await tick(0)
    loaded.delete(marked('pjsip', 'b').marker)
    await tick(10_000)
    assert.deepEqual([begun, reloads.waiting(), troubles], [['pjsip'], [], []])
  })

  test('an urgent change waits a moment for others that arrive with it, if reloads take long', async () => {
    await start()
    outcome = async () => {
      now += 8_000
    }
    change('pjsip', 'b')
    reloads.want(wanted, true)
    await tick(0)
    begun = []
    for (const text of ['c', 'd']) {
      change('pjsip', text)
      reloads.want(wanted, true)
      await tick(190)
    }
    assert.deepEqual(begun, [])
    await tick(20)
    assert.deepEqual([begun, reloads.waiting()], [['pjsip'], []])
  })

  test('a dialplan that took long to load, as while Asterisk starts, does not rest ten times as long', async () => {
    await start()
    outcome = async () => {
      now += 3_000
    }
    change('extensions', 'b')
    reloads.want(wanted, false)
    await tick(200)
    change('extensions', 'c')
    reloads.want(wanted, false)
    await tick(3_000)
    assert.deepEqual([begun, reloads.waiting()], [['extensions', 'extensions'], []])
  })

  test('only one file is reloaded at a time, and a change meanwhile is not lost', async () => {
    await start()
    let finish = (): void => undefined
    outcome = () =>
      new Promise(resolve => {
        finish = resolve
      })
    change('extensions', 'b')
    change('pjsip', 'b')
    reloads.want(wanted, true)
    await tick(0)
    assert.deepEqual(begun, ['extensions'])
    const during = wanted
    change('extensions', 'c')
    reloads.want(wanted, true)
    await tick(500)
    assert.deepEqual(begun, ['extensions'])
    wanted = during
    finish()
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    change('extensions', 'c')
    outcome = async () => undefined
    await tick(0)
    await tick(0)
    finish()
    await tick(0)
    await tick(0)
    assert.deepEqual(new Set(begun.slice(1)), new Set(['extensions', 'pjsip']))
    assert.deepEqual(reloads.waiting(), [])
  })

  test('a reload that fails, or loads something else, is reported and tried again after 5 s', async () => {
    await start()
    for (const failing of [() => Promise.reject(new AppError('unavailable', 'cut')), async () => void loaded.clear()]) {
      outcome = failing
      troubles = []
      change('voicemail', `text ${now}`)
      const { marker } = wanted.voicemail
      const add = loaded.add.bind(loaded)
      loaded.add = each => (each === marker ? loaded : add(each))
      reloads.want(wanted, true)
      await tick(0)
      assert.deepEqual([troubles.length, reloads.waiting()], [1, ['voicemail']])
      await tick(4_900)
      assert.equal(troubles.length, 1)
      loaded.add = add
      outcome = async () => undefined
      await tick(200)
      assert.deepEqual(reloads.waiting(), [])
    }
  })

  test('without a connection nothing is reloaded, and a new one is asked what it has', async () => {
    await start()
    reloads.end()
    change('queues', 'b')
    reloads.want(wanted, true)
    await tick(60_000)
    assert.deepEqual(begun, [])
    await reloads.begin(manager)
    await tick(0)
    assert.deepEqual(begun, ['queues'])
  })
})
