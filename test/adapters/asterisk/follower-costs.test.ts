import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { asteriskFollower } from '../../../adapters/asterisk/follower.ts'
import type { Catalog } from '../../../core/calls/record-call.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import type { Changed, SwitchFollower } from '../../../core/ports/switching.ts'
import { buildDeck } from '../../../core/rating/deck.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { until } from '../../support/data/switch.ts'
import { directory, NO_LIMITS, type World } from '../../support/switching/directory.ts'
import { directoryOf } from '../../support/switching/freeswitch.ts'
import {
  type HeldManager,
  heldManager,
  type ModelSwitch,
  modelSwitch,
  PASSWORD,
} from '../../support/switching/manager.ts'

const DIALLING = diallingOf({ dialling: { country: 'UA' } })
/** 0.60 a minute. */
const RATE = { id: 1, prefix: '380', pricePerMinute: 6_000, increment: 1, active: true }
const CATALOG: Catalog = {
  ...{ tenantId: 1, dialling: DIALLING, extensions: new Map(), dids: new Set() },
  deckAt: () => buildDeck([RATE], DIALLING),
}
/** Anything but a limit that is reached. */
const BLOCKED = `GotoIf($[\${GROUP_COUNT(acme@tl_out)} > 0]`

describe('what calls in progress cost, on Asterisk', () => {
  let folder: string
  let model: ModelSwitch
  let manager: HeldManager
  let world: World
  let used: number
  let ending: AbortController
  let running: Promise<void>
  let follower: SwitchFollower
  let due: Changed[]

  /** A call that has lasted that long; without an answer, as long as it rings. */
  const call = (
    seconds: number,
    given: { id?: string; extension?: string; isUp?: boolean; to?: string } = {},
  ): void => {
    const { id = '1', extension = '101', isUp = true, to = '+380501234567' } = given
    const duration = new Date(seconds * 1000).toISOString().slice(11, 19)
    const common = { AccountCode: 'acme', Linkedid: id, ChannelStateDesc: isUp ? 'Up' : 'Ring', Duration: duration }
    model.channels.push(
      { ...common, Channel: `PJSIP/acme-${extension}-0000000${id}`, Uniqueid: id, CallerIDNum: extension, Exten: to },
      { ...common, Channel: `PJSIP/_carrier-one-1000000${id}`, Uniqueid: `${id}.1`, CallerIDNum: to, Exten: '' },
    )
  }
  const dialplan = (): string => readFileSync(join(folder, 'extensions.conf'), 'utf8')
  const start = async (): Promise<void> => {
    follower = asteriskFollower({
      ...{ folder, now: () => performance.now(), rates: { of: async () => [] } },
      directory: directoryOf(() => [directory(world)]),
      place: { host: '127.0.0.1', port: manager.port, user: 'trunkline', password: PASSWORD },
      usage: {
        of: async () => ({
          tenant: { ...NOTHING_USED, cost_per_day: used },
          extension: () => NOTHING_USED,
          extensions: () => new Set(),
        }),
      },
      calls: { catalog: async () => CATALOG },
      clock: { now: () => '2026-03-01T12:00:00.000000Z', monotonic: () => 0 },
      ...{
        onTrouble: () => undefined,
        onTaken: () => undefined,
        onRefused: () => undefined,
        onLeftOut: () => undefined,
      },
    })
    running = follower.run(changed => due.push(changed), ending.signal)
    await follower.reconcile('all')
  }
  const looks = (): number => model.asked.filter(({ Action }) => Action === 'CoreShowChannels').length
  /** Resolves once the calls in progress have been looked at that often. */
  const looked = (times: number): Promise<void> => until(`looked ${times} times`, () => looks() >= times)

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-costs-'))
    model = modelSwitch(folder)
    manager = await heldManager(model.answer)
    ;[world, used, due] = [{ limits: { most: { cost_per_day: 10_000 } } }, 0, []]
    ending = new AbortController()
  })
  afterEach(async () => {
    ending.abort()
    await running
    await manager.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const reached = async (): Promise<void> => {
    await until('the tenant is due', () => due.some(each => each !== 'all'))
    const [changed] = due.filter(each => each !== 'all')
    assert.deepEqual(changed, new Set([1]))
    await follower.reconcile(changed ?? 'all')
  }

  test('refuses further calls once it reaches the limit with what ended calls cost', async () => {
    used = 4_000
    call(59)
    await start()
    assert.ok(!dialplan().includes(BLOCKED))
    model.channels.length = 0
    call(60)
    await reached()
    assert.ok(dialplan().includes(BLOCKED))
  })

  test('counts for each extension, and for the tenant together', async () => {
    world = { ofExtension: { most: { cost_per_hour: 5_000 } } }
    call(30)
    call(30, { id: '2', extension: '102' })
    await start()
    await looked(2)
    assert.deepEqual(
      due.filter(each => each !== 'all'),
      [],
    )
    call(30, { id: '3', extension: '102' })
    await reached()
    const [, ofDesk = ''] = /exten => e101,1,(.*)/.exec(dialplan()) ?? []
    const [, ofHall = ''] = /exten => e102,1,(.*)/.exec(dialplan()) ?? []
    assert.ok(!ofDesk.includes('TL_OUT=0') && ofHall.includes('TL_OUT=0'), `${ofDesk} ${ofHall}`)
  })

  test('is nothing while a call rings, stays inside or has no rate', async () => {
    call(3_600, { isUp: false })
    call(3_600, { id: '2', to: '+4930123456' })
    await start()
    await looked(2)
    assert.deepEqual(
      due.filter(each => each !== 'all'),
      [],
    )
  })

  test('still counts when the call has just ended, until its record can be stored', async () => {
    call(3_600)
    await start()
    await reached()
    model.channels.length = 0
    const before = looks()
    await looked(before + 1)
    await follower.reconcile(new Set([1]))
    assert.ok(dialplan().includes(BLOCKED))
    await looked(before + 3)
    await follower.reconcile(new Set([1]))
    assert.ok(!dialplan().includes(BLOCKED))
  })

  test('is not asked for while no tenant has a limit on cost', async () => {
    world = { limits: { ...NO_LIMITS, most: { calls_per_day: 5 } } }
    await start()
    await until('it is connected', () => due.includes('all'))
    call(3_600)
    assert.equal(looks(), 0)
  })
})
