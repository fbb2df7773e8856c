import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freeswitchFollower } from '../../../adapters/freeswitch/follow/follower.ts'
import { gatewayOf } from '../../../adapters/freeswitch/names.ts'
import type { Changed, LiveCall, SwitchFollower } from '../../../core/ports/switching.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { until } from '../../support/data/switch.ts'
import { answers, type Has } from '../../support/switching/asked-event-socket.ts'
import { directory, extension, queue, trunk } from '../../support/switching/directory.ts'
import { type HeldSwitch, heldSwitch } from '../../support/switching/event-socket.ts'
import { directoryOf, KEY } from '../../support/switching/freeswitch.ts'

/** Commands that change nothing. */
const ASKS = /^show |^sofia status|gwlist|list$/

interface World {
  tenants: TenantDirectory[]
  has: Has
  readonly held: HeldSwitch
  /** The calls in progress that lookups were told of. */
  calls: readonly LiveCall[]
  readonly troubles: unknown[]
  readonly follower: SwitchFollower
  connected: number
  /** Reconciles, and returns the commands that the switch received. */
  sentAfter(changed: Changed): Promise<string[]>
}

const following = async (
  tenants: TenantDirectory[],
  run: (world: World) => Promise<void>,
  told = async (calls: readonly LiveCall[]): Promise<number> => calls.length,
): Promise<void> => {
  const stopping = new AbortController()
  const troubles: unknown[] = []
  const held = await heldSwitch({ answer: command => answers(world.has, command) })
  const follower = freeswitchFollower(
    {
      place: held.place,
      directory: directoryOf(() => world.tenants),
      lookups: {
        shown: calls => {
          world.calls = calls
          return told(calls)
        },
        ended: async () => undefined,
      },
      key: KEY,
      onTrouble: error => troubles.push(error),
      onCommandRefused: () => {},
    },
    { busyMs: 10, idleMs: 10 },
  )
  const world: World = {
    ...{ tenants, has: {}, held, calls: [], troubles, follower, connected: 0 },
    sentAfter: async changed => {
      const before = held.commands.length
      await follower.reconcile(changed)
      return held.commands.slice(before).filter(command => !ASKS.test(command))
    },
  }
  const running = follower.run(() => world.connected++, stopping.signal)
  await until('it is connected', () => world.connected > 0)
  try {
    await run(world)
  } finally {
    stopping.abort()
    await running
    await held.close()
  }
}

const none = { trunks: [] }
const acme = (given: Parameters<typeof directory>[0] = {}): TenantDirectory => directory({ ...none, ...given })
const beta = directory({ ...none, tenant: { id: 2, slug: 'beta', domain: 'beta.example.com' } })

describe('a switch that is followed', () => {
  test('is sent nothing if nothing has changed', () =>
    following([acme(), beta], async world => {
      assert.deepEqual(await world.sentAfter('all'), [])
      assert.deepEqual(await world.sentAfter(new Set([1, 2])), [])
    }))

  test("ends the calls of a tenant that is suspended and forgets its telephones, and no other's", () =>
    following([acme(), beta], async world => {
      await world.sentAfter('all')
      world.tenants = [acme({ tenant: { status: 'suspended' } }), beta]
      assert.deepEqual(await world.sentAfter(new Set([1])), [
        'hupall NORMAL_CLEARING accountcode acme',
        'sofia profile internal flush_inbound_reg 101@acme.example.com',
        'sofia profile internal flush_inbound_reg 102@acme.example.com',
      ])
      assert.deepEqual(await world.sentAfter(new Set([1])), [])
    }))

  test('ends the calls of an extension that is disabled, and forgets its telephone', () =>
    following([acme()], async world => {
      await world.sentAfter('all')
      world.tenants = [acme({ extensions: [extension('101', { status: 'disabled' }), extension('102')] })]
      assert.deepEqual(await world.sentAfter(new Set([1])), [
        'hupall NORMAL_CLEARING trunkline_phone 101@acme',
        'sofia profile internal flush_inbound_reg 101@acme.example.com',
      ])
    }))

  test('forgets the telephone of an extension with a new secret, and leaves its call', () =>
    following([acme()], async world => {
      await world.sentAfter('all')
      world.tenants = [acme({ extensions: [extension('101', { secret: 'new' }), extension('102')] })]
      assert.deepEqual(await world.sentAfter(new Set([1])), [
        'sofia profile internal flush_inbound_reg 101@acme.example.com',
      ])
    }))

  test('looks which telephones are there before it forgets those of many', () =>
    following([acme({ extensions: Array.from({ length: 30 }, (_, n) => extension(String(200 + n))) })], async world => {
      await world.sentAfter('all')
      world.has.registrations = ['201@acme.example.com', '101@beta.example.com']
      world.tenants = [beta]
      assert.deepEqual(await world.sentAfter(new Set([1])), [
        'hupall NORMAL_CLEARING accountcode acme',
        'sofia profile internal flush_inbound_reg 201@acme.example.com',
      ])
    }))

  test('that has just been connected loses what it should not have', () =>
    following([acme({ tenant: { status: 'suspended' } }), beta], async world => {
      world.has = {
        registrations: [
          '101@acme.example.com',
          '101@beta.example.com',
          '999@beta.example.com',
          '101@gone.example.com',
          '$x@y',
        ],
        channels: [
          { uuid: '1', mark: 'trunkline:beta:outbound:999:carrier:+380501112233' },
          { uuid: '2', mark: 'trunkline:gone:internal:101::102' },
          { uuid: '3', mark: 'trunkline:beta:internal:101::102' },
          { uuid: '4', mark: '' },
        ],
        queues: ['800@gone'],
        tiers: [['800@gone', '101@gone']],
        agents: ['101@gone'],
        gateways: ['own-carrier', 'carrier-gone-0123abcd'],
      }
      assert.deepEqual(await world.sentAfter('all'), [
        'hupall NORMAL_CLEARING accountcode acme',
        'hupall NORMAL_CLEARING trunkline_phone 999@beta',
        'hupall NORMAL_CLEARING accountcode gone',
        'sofia profile internal flush_inbound_reg 101@acme.example.com',
        'sofia profile internal flush_inbound_reg 999@beta.example.com',
        'sofia profile internal flush_inbound_reg 101@gone.example.com',
        'callcenter_config queue unload 800@gone',
        'callcenter_config tier del 800@gone 101@gone',
        'callcenter_config agent del 101@gone',
        'sofia profile external killgw carrier-gone-0123abcd',
      ])
    }))

  test('reloads a changed queue, and removes agents who no longer belong to it', () => {
    const agents = [
      { extension: '101', penalty: 0 },
      { extension: '102', penalty: 1 },
    ]
    return following([acme({ queues: [queue('800', { agents })] }), beta], async world => {
      assert.deepEqual(await world.sentAfter('all'), ['callcenter_config queue reload 800@acme'])
      world.has.tiers = [
        ['800@acme', '101@acme'],
        ['800@acme', '102@acme'],
        ['700@beta', '101@beta'],
      ]
      world.has.agents = ['101@acme', '102@acme', '101@beta']
      world.tenants = [acme({ queues: [queue('800', { agents: agents.slice(0, 1) })] }), beta]
      assert.deepEqual(await world.sentAfter(new Set([1])), [
        'callcenter_config queue reload 800@acme',
        'callcenter_config tier del 800@acme 102@acme',
        'callcenter_config agent del 102@acme',
      ])
      world.tenants = [acme(), beta]
      assert.deepEqual(await world.sentAfter(new Set([1])), [
        'callcenter_config queue unload 800@acme',
        'callcenter_config tier del 800@acme 101@acme',
        'callcenter_config tier del 800@acme 102@acme',
        'callcenter_config agent del 101@acme',
        'callcenter_config agent del 102@acme',
      ])
    })
  })

  test('has the gateways of the active trunks; a changed trunk is another gateway', () => {
    const [one, two] = [trunk('carrier-one'), trunk('carrier-two')]
    return following([directory({ trunks: [one] })], async world => {
      assert.deepEqual(await world.sentAfter('all'), ['sofia profile external rescan'])
      world.has.gateways = ['own', gatewayOf(one, KEY)]
      assert.deepEqual(await world.sentAfter('all'), [])
      world.tenants = [directory({ trunks: [{ ...one, host: '203.0.113.9' }, two] })]
      assert.deepEqual(await world.sentAfter('all'), [
        `sofia profile external killgw ${gatewayOf(one, KEY)}`,
        'sofia profile external rescan',
      ])
    })
  })

  test('that was away receives what has changed meanwhile, once it is back', () =>
    following([acme()], async world => {
      await world.sentAfter('all')
      world.held.cut()
      world.tenants = [acme({ extensions: [extension('101', { secret: 'new' }), extension('102')] })]
      await until('it is connected again', () => world.connected === 2)
      world.has.registrations = ['101@acme.example.com', '102@acme.example.com']
      assert.deepEqual(await world.sentAfter('all'), ['sofia profile internal flush_inbound_reg 101@acme.example.com'])
    }))

  test('that is away makes reconciling fail, so that it is tried again', () =>
    following([acme()], async world => {
      await world.held.close()
      await until('it is noticed', () => world.troubles.length > 0)
      await assert.rejects(world.follower.reconcile('all'), { code: 'unavailable' })
    }))

  test('does not keep the daemon from stopping if lookups hang', async () => {
    let asked = 0
    const hangs = (): Promise<number> => {
      asked++
      return new Promise(() => {})
    }
    await following([acme()], () => until('the lookups get the calls in progress', () => asked > 0), hangs)
    assert.equal(asked, 1)
  })

  test('shows the calls in progress', () =>
    following([acme()], async world => {
      world.has.channels = [
        { uuid: '1', mark: 'trunkline:acme:outbound:101::+380501112233' },
        { uuid: '2', mark: '' },
      ]
      await until('the call is seen', () => world.calls.length === 1)
      const [seen] = world.calls
      assert.deepEqual([seen?.tenant, seen?.extension, seen?.to, seen?.trunk], ['acme', '101', '+380501112233', null])
    }))
})
