import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { writeFileWhole } from '../../../adapters/asterisk/write-file.ts'
import { AppError } from '../../../core/errors.ts'
import type { SwitchDirectory, SwitchFollower } from '../../../core/ports/switching.ts'
import { insideFacts } from '../../../core/switching/stored/call-facts.ts'
import { until } from '../../support/data/switch.ts'
import { type FollowedAsterisk, followedAsterisk } from '../../support/switching/asterisk-follower.ts'
import { directory, extension, type World } from '../../support/switching/directory.ts'
import { heldManager, PASSWORD } from '../../support/switching/manager.ts'

/** What the follower reads, which a test changes. */
function held(worlds: Map<string, World>): SwitchDirectory {
  const whole = async (slug: string) => {
    const given = worlds.get(slug)
    return given ? directory(given) : null
  }
  const none = async (): Promise<null> => null
  return {
    ...{ registrant: none, forDid: none, whole },
    forCall: async slug => {
      const found = await whole(slug)
      return found && insideFacts(found)
    },
    async *all() {
      for (const slug of worlds.keys()) {
        const found = await whole(slug)
        if (found) yield found
      }
    },
  }
}

describe('an Asterisk that is followed', () => {
  let asterisk: FollowedAsterisk
  let worlds: Map<string, World>
  let follower: SwitchFollower

  const start = (password = PASSWORD, { port } = asterisk.manager): void => {
    const place = { host: '127.0.0.1', port, user: 'trunkline', password }
    follower = asterisk.start({ directory: held(worlds), place })
  }
  const set = (slug: string, given: World): unknown =>
    worlds.set(slug, { ...given, tenant: { slug, id: slug === 'acme' ? 1 : 2, ...given.tenant } })
  const settled = (): Promise<void> => until('all files are loaded', () => asterisk.taken.length >= 4)

  beforeEach(async () => {
    asterisk = await followedAsterisk()
    worlds = new Map()
    set('acme', {})
  })
  afterEach(() => asterisk.end())

  test('loads every file once, the dialplan first, and after a change only changed files', async () => {
    start()
    await follower.reconcile('all')
    await settled()
    assert.deepEqual(asterisk.reloads(), ['pbx_config.so', 'res_pjsip.so', 'app_queue.so', 'app_voicemail.so'])
    set('acme', { extensions: [extension('101', { secret: 'another' }), extension('102')] })
    await follower.reconcile(new Set([1]))
    await until('the new secret is loaded', () => asterisk.taken.length === 5)
    assert.deepEqual(asterisk.reloads().slice(4), ['res_pjsip.so'])
    await follower.reconcile('all')
    assert.equal(asterisk.reloads().length, 5, 'an unchanged file is not reloaded')
  })

  test('names a file that a reload reported as loaded and that is not', async () => {
    asterisk.model.isDeaf = true
    start()
    await follower.reconcile('all')
    await until('the error is reported', () => asterisk.troubles.length > 0)
    const [error] = asterisk.troubles
    assert.ok(error instanceof AppError && error.code === 'conflict' && /extensions\.conf/.test(error.message))
    assert.deepEqual(asterisk.taken, [])
  })

  test('asks a reconnected switch what it has, and reloads only what it lacks', async () => {
    start()
    await follower.reconcile('all')
    await settled()
    asterisk.model.loaded.delete('queues')
    asterisk.manager.cut()
    await until('it is connected again', () => asterisk.due.length === 2)
    await until('the queues are loaded again', () => asterisk.taken.length === 5)
    assert.deepEqual(asterisk.reloads().slice(4), ['app_queue.so'])
  })

  test('writes the files while the switch is away, and has them loaded once it is there', async () => {
    const place = { ...asterisk.manager }
    const answer = asterisk.model.answer
    await asterisk.manager.close()
    start(PASSWORD, place)
    await until('everything is due', () => asterisk.due.includes('all'))
    await follower.reconcile('all')
    assert.match(readFileSync(join(asterisk.folder, 'pjsip.conf'), 'utf8'), /^\[acme-101\]/m)
    await until('the error is reported', () => asterisk.troubles.length > 0)
    assert.ok(asterisk.troubles[0] instanceof AppError && asterisk.troubles[0].code === 'unavailable')
    asterisk.manager = await heldManager(answer, undefined, place.port)
    await settled()
  })

  test('passes on the calls that the dialplan refuses, with the limit that one has reached', async () => {
    set('acme', { limits: { most: { concurrent_calls: 3 } } })
    start()
    await until('it is connected', () => asterisk.due.length === 1)
    const sent = (refusal: string, name = 'TrunklineRefused'): void =>
      asterisk.manager.send(
        `Event: UserEvent\r\nUserevent: ${name}\r\nRefusal: ${refusal}\r\nTenant: acme\r\nExtension: 101\r\nDialled: 0900\r\n\r\n`,
      )
    sent('prefix_blocked', 'Another')
    sent('none_of_ours')
    sent('prefix_blocked')
    sent('tenant_full')
    await until('both are passed on', () => asterisk.refused.length === 2)
    const call = { tenant: 'acme', extension: '101', dialled: '0900' }
    assert.deepEqual(asterisk.refused[0], [{ refusal: 'prefix blocked', ...call }, null])
    const [of, reached] = asterisk.refused[1] ?? []
    assert.deepEqual(of, { refusal: 'limit reached', ...call })
    assert.deepEqual(typeof reached === 'object' && reached && 'use' in reached ? reached.use : reached, {
      name: 'concurrent_calls',
      used: 3,
      limit: 3,
      of: null,
    })
    assert.deepEqual(asterisk.troubles, [])
  })

  test('says that the password is refused, and changes nothing', async () => {
    start('wrong')
    await until('the refusal is reported', () => asterisk.troubles.length > 0)
    const [error] = asterisk.troubles
    assert.ok(error instanceof AppError && error.code === 'forbidden')
    assert.ok(!error.message.includes('wrong'))
    assert.deepEqual([asterisk.due, asterisk.reloads()], [[], []])
  })

  test('survives a connection that is cut within a reload, and garbage', async () => {
    let cuts = 0
    const garbled = await heldManager((action, socket) => {
      if (action['Action'] !== 'Reload' || cuts > 1) return asterisk.model.answer(action, socket)
      cuts++
      if (cuts === 1) socket.destroy()
      return cuts === 1 ? null : `\0garbage${'\r\n'.repeat(3)}: : \r\n\r\n${asterisk.model.answer(action, socket)}`
    })
    start(PASSWORD, garbled)
    await follower.reconcile('all')
    await settled()
    assert.ok(asterisk.troubles.length > 0 && cuts > 1)
    await garbled.close()
  })

  test('ends the calls of a tenant that is suspended, and of no other', async () => {
    set('acme-west', {})
    start()
    await follower.reconcile('all')
    await settled()
    for (const [slug, id] of [
      ['acme', '1'],
      ['acme-west', '2'],
    ] as const)
      asterisk.model.channels.push({
        Channel: `PJSIP/${slug}-101-0000000${id}`,
        Uniqueid: id,
        Linkedid: id,
        AccountCode: slug,
      })
    set('acme', { tenant: { status: 'suspended' } })
    await follower.reconcile(new Set([1]))
    assert.deepEqual(
      asterisk.model.channels.map(({ Channel }) => Channel),
      ['PJSIP/acme-west-101-00000002'],
    )
    assert.doesNotMatch(readFileSync(join(asterisk.folder, 'extensions.conf'), 'utf8'), /^\[tenant-acme\]/m)
  })

  test('ends the calls of a suspended tenant while a long reload is under way', async () => {
    // Asterisk answers nothing else on a connection that waits for a reload.
    const waiting = new Set<unknown>()
    const slow = await heldManager((action, socket) => {
      if (action['Action'] === 'Reload' && asterisk.model.channels.length > 0) waiting.add(socket)
      return waiting.has(socket) ? null : asterisk.model.answer(action, socket)
    })
    start(PASSWORD, slow)
    await follower.reconcile('all')
    await settled()
    asterisk.model.channels.push({
      Channel: 'PJSIP/acme-101-00000001',
      Uniqueid: '1',
      Linkedid: '1',
      AccountCode: 'acme',
    })
    set('acme', { extensions: [extension('103')] })
    await follower.reconcile(new Set([1]))
    await until('a reload is under way', () => waiting.size > 0)
    set('acme', { tenant: { status: 'suspended' } })
    await follower.reconcile(new Set([1]))
    assert.deepEqual(asterisk.model.channels, [])
    await slow.close()
  })

  test('refuses an old secret at once although the files could not be written at first', async () => {
    // A reload takes a minute, after which a change that refuses nobody would wait for ten.
    const now = (): number => performance.now() + asterisk.reloads().length * 60_000
    follower = asterisk.start({ directory: held(worlds), now })
    await follower.reconcile('all')
    await settled()
    const taken = asterisk.taken.length
    rmSync(asterisk.folder, { recursive: true })
    set('acme', { extensions: [extension('101', { secret: 'another' }), extension('102')] })
    await assert.rejects(follower.reconcile(new Set([1])), { code: 'ENOENT' })
    mkdirSync(asterisk.folder)
    await follower.reconcile(new Set([1]))
    await until('the new secret is loaded', () => asterisk.taken.includes('pjsip', taken))
  })

  test('reports records that cannot be on the switch, when those change', async () => {
    set('acme', { extensions: [extension('101', { secret: '' }), extension('102')] })
    start()
    await follower.reconcile('all')
    await follower.reconcile('all')
    assert.deepEqual(asterisk.left, [[{ of: 'extension acme/101', why: 'it has no secret' }]])
    set('acme', {})
    await follower.reconcile(new Set([1]))
    assert.deepEqual(asterisk.left.at(-1), [])
  })
})

test('a file is put in place at once, for the group alone, and is left alone where it is the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-write-'))
  const path = join(folder, 'pjsip.conf')
  writeFileSync(path, 'former')
  const former = process.umask(0o077)
  assert.equal(await writeFileWhole(path, 'new'), true)
  process.umask(former)
  const { ino, mode } = statSync(path)
  assert.equal(mode & 0o777, 0o640)
  assert.equal(await writeFileWhole(path, 'new'), false)
  assert.equal(statSync(path).ino, ino)
  await assert.rejects(writeFileWhole(join(folder, 'gone', 'x.conf'), 'text'))
  rmSync(folder, { recursive: true, force: true })
})
