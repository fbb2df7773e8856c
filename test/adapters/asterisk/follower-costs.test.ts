import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Catalog } from '../../../core/calls/record-call.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import type { SwitchFollower } from '../../../core/ports/switching.ts'
import { buildDeck } from '../../../core/rating/deck.ts'
import { NOTHING_USED, type Used } from '../../../core/switching/limits/limits.ts'
import { until } from '../../support/data/switch.ts'
import { type FollowedAsterisk, followedAsterisk } from '../../support/switching/asterisk-follower.ts'
import { directory, NO_LIMITS, type World } from '../../support/switching/directory.ts'
import { directoryOf } from '../../support/switching/freeswitch.ts'

const DIALLING = diallingOf({ dialling: { country: 'UA' } })
/** 0.60 a minute. */
const RATE = { id: 1, prefix: '380', pricePerMinute: 6_000, increment: 1, active: true }
const CATALOG: Catalog = {
  ...{ tenantId: 1, dialling: DIALLING, extensions: new Map(), dids: new Set() },
  deckAt: () => buildDeck([RATE], DIALLING),
}
/** Anything but a limit that is reached. */
const BLOCKED = /GROUP_COUNT\(acme@tl_out\)\S* \+ \S+ > 0\]/

describe('what calls in progress cost, on Asterisk', () => {
  let asterisk: FollowedAsterisk
  let world: World
  let used: number
  let follower: SwitchFollower

  /** A call that has lasted that long; without an answer, as long as it rings. */
  const call = (
    seconds: number,
    given: { id?: string; extension?: string; isUp?: boolean; to?: string } = {},
  ): void => {
    const { id = '1', extension = '101', isUp = true, to = '+380501234567' } = given
    const duration = new Date(seconds * 1000).toISOString().slice(11, 19)
    const common = { AccountCode: 'acme', Linkedid: id, ChannelStateDesc: isUp ? 'Up' : 'Ring', Duration: duration }
    const line = `Local/${extension}@line-acme-0000000${id}`
    asterisk.model.channels.push(
      { ...common, Channel: `PJSIP/acme-${extension}-0000000${id}`, Uniqueid: id, CallerIDNum: extension, Exten: to },
      { ...common, Channel: `${line};1`, Uniqueid: `${id}.1`, CallerIDNum: to, Exten: '' },
      { ...common, Channel: `${line};2`, Uniqueid: `${id}.2`, CallerIDNum: extension, Exten: to },
      { ...common, Channel: `PJSIP/_carrier-one-1000000${id}`, Uniqueid: `${id}.3`, CallerIDNum: to, Exten: '' },
    )
  }
  const dialplan = (): string => readFileSync(join(asterisk.folder, 'extensions.conf'), 'utf8')
  const start = async (): Promise<void> => {
    const tenant = (): Used => ({ ...NOTHING_USED, cost_per_day: used })
    follower = asterisk.start({
      directory: directoryOf(() => [directory(world)]),
      usage: {
        of: async () => ({ tenant: tenant(), extension: () => NOTHING_USED, extensions: () => new Set() }),
        stored: async () => new Set(),
      },
      calls: { catalog: async () => CATALOG },
      clock: { now: () => '2026-03-01T12:00:00.000000Z', monotonic: () => 0 },
    })
    await follower.reconcile('all')
  }
  const looks = (): number => asterisk.model.asked.filter(({ Action }) => Action === 'CoreShowChannels').length
  /** Resolves once the calls in progress have been looked at that often. */
  const looked = (times: number): Promise<void> => until(`looked ${times} times`, () => looks() >= times)

  beforeEach(async () => {
    asterisk = await followedAsterisk()
    ;[world, used] = [{ limits: { most: { cost_per_day: 10_000 } } }, 0]
  })
  afterEach(() => asterisk.end())

  const reached = async (): Promise<void> => {
    await until('the tenant is due', () => asterisk.due.some(each => each !== 'all'))
    const [changed] = asterisk.due.filter(each => each !== 'all')
    assert.deepEqual(changed, new Set([1]))
    await follower.reconcile(changed ?? 'all')
  }

  test('refuses further calls once it reaches the limit with what ended calls cost', async () => {
    used = 4_000
    call(59)
    await start()
    assert.ok(!BLOCKED.test(dialplan()))
    asterisk.model.channels.length = 0
    call(60)
    await reached()
    assert.ok(BLOCKED.test(dialplan()))
  })

  test('counts for each extension, and for the tenant together', async () => {
    world = { ofExtension: { most: { cost_per_hour: 5_000 } } }
    call(30)
    call(30, { id: '2', extension: '102' })
    await start()
    await looked(2)
    assert.deepEqual(
      asterisk.due.filter(each => each !== 'all'),
      [],
    )
    call(30, { id: '3', extension: '102' })
    await reached()
    const [, ofDesk = ''] = /exten => e101,1,(.*)/.exec(dialplan()) ?? []
    const [, ofHall = ''] = /exten => e102,1,(.*)/.exec(dialplan()) ?? []
    assert.ok(!ofDesk.includes('TL_OUT=0') && ofHall.includes('TL_OUT=0'), `${ofDesk} ${ofHall}`)
  })

  test('counts for the extension that called, after it has transferred the call', async () => {
    world = { ofExtension: { most: { cost_per_hour: 5_000 } } }
    call(60)
    asterisk.model.channels.shift()
    await start()
    await reached()
    assert.match(/exten => e101,1,(.*)/.exec(dialplan())?.[1] ?? '', /TL_OUT=0/)
  })

  test('is nothing while a call rings, stays inside or has no rate', async () => {
    call(3_600, { isUp: false })
    call(3_600, { id: '2', to: '+4930123456' })
    await start()
    await looked(2)
    assert.deepEqual(
      asterisk.due.filter(each => each !== 'all'),
      [],
    )
  })

  test('still counts when the call has just ended, until its record can be stored', async () => {
    call(3_600)
    await start()
    await reached()
    asterisk.model.channels.length = 0
    const before = looks()
    await looked(before + 1)
    await follower.reconcile(new Set([1]))
    assert.ok(BLOCKED.test(dialplan()))
    await looked(before + 3)
    await follower.reconcile(new Set([1]))
    assert.ok(!BLOCKED.test(dialplan()))
  })

  test('is not asked for while no tenant has a limit on cost', async () => {
    world = { limits: { ...NO_LIMITS, most: { calls_per_day: 5 } } }
    await start()
    await until('it is connected', () => asterisk.due.includes('all'))
    call(3_600)
    assert.equal(looks(), 0)
  })
})
