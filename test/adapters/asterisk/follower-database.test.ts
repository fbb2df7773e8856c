import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { TELEPHONE_TABLE } from '../../../adapters/asterisk/render/telephones.ts'
import { NOBODY } from '../../../adapters/asterisk/telephone-place.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { switchTable } from '../../../adapters/sqlite/switching/switch-table.ts'
import { AppError } from '../../../core/errors.ts'
import type { SwitchTable } from '../../../core/ports/switching/table.ts'
import type { SwitchFollower } from '../../../core/ports/switching.ts'
import { until } from '../../support/data/switch.ts'
import { type FollowedAsterisk, followedAsterisk } from '../../support/switching/asterisk-follower.ts'
import { directory, extension, type World } from '../../support/switching/directory.ts'
import { directoryOf } from '../../support/switching/freeswitch.ts'

describe('an Asterisk that reads telephones from a database', () => {
  let asterisk: FollowedAsterisk
  let folder: string
  let path: string
  let table: SwitchTable
  let worlds: Map<number, World>
  let follower: SwitchFollower

  const set = (id: number, slug: string, given: World = {}): unknown =>
    worlds.set(id, { ...given, tenant: { slug, id, ...given.tenant } })
  const start = (): void => {
    follower = asterisk.start({ directory: directoryOf(() => [...worlds.values()].map(directory)), table })
  }
  /** Rows of a view, as Asterisk reads them. */
  const seen = (sql: string): unknown[] => {
    const db = new Sqlite(path, { readonly: true })
    try {
      return db.prepare(sql).pluck().all()
    } finally {
      db.close()
    }
  }
  const ids = (): unknown[] => seen("SELECT id FROM tl_endpoints WHERE id NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY id")
  const pjsip = (): string => readFileSync(join(asterisk.folder, 'pjsip.conf'), 'utf8')
  const settled = async (): Promise<void> => {
    // On a busy machine, the first rendering would hold up the login for too long.
    await until('it is connected', () => asterisk.due.length > 0)
    await follower.reconcile('all')
    await until('all files are loaded', () => asterisk.taken.length >= 4)
  }
  const restart = async (meanwhile: () => void = () => undefined): Promise<void> => {
    await asterisk.end()
    table.close()
    meanwhile()
    asterisk = await followedAsterisk()
    asterisk.model.database = path
    table = switchTable(path, TELEPHONE_TABLE)
    start()
    await settled()
  }

  beforeEach(async () => {
    asterisk = await followedAsterisk()
    folder = mkdtempSync(join(tmpdir(), 'trunkline-telephones-'))
    path = join(folder, 'telephones.db')
    asterisk.model.database = path
    table = switchTable(path, TELEPHONE_TABLE)
    worlds = new Map()
    set(1, 'acme')
    set(2, 'beta')
  })
  afterEach(async () => {
    await asterisk.end()
    table.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('has endpoint, aor and auth of each telephone there, and none in pjsip.conf', async () => {
    start()
    await settled()
    assert.deepEqual(ids(), ['acme-101', 'acme-102', 'beta-101', 'beta-102'])
    assert.deepEqual(seen('SELECT id FROM tl_aors'), seen('SELECT id FROM tl_endpoints'))
    assert.match(String(seen("SELECT md5_cred FROM tl_auths WHERE username = 'acme-101'")), /^[0-9a-f]{32}$/)
    assert.doesNotMatch(pjsip(), /acme|beta/)
    assert.deepEqual(asterisk.troubles, [])
  })

  test('has a new secret, and not the telephones of a suspended tenant, without a reload of telephones', async () => {
    start()
    await settled()
    const before = seen("SELECT md5_cred FROM tl_auths WHERE id = 'acme-101'")
    set(1, 'acme', { extensions: [extension('101', { secret: 'another' }), extension('102')] })
    await follower.reconcile(new Set([1]))
    assert.notDeepEqual(seen("SELECT md5_cred FROM tl_auths WHERE id = 'acme-101'"), before)
    set(2, 'beta', { tenant: { status: 'suspended' } })
    await follower.reconcile(new Set([2]))
    assert.deepEqual(ids(), ['acme-101', 'acme-102'])
    await until('the dialplan is loaded', () => asterisk.taken.includes('extensions', 4))
    assert.ok(!asterisk.taken.includes('pjsip', 4))
  })

  test('is reloaded once for a new telephone, whose state queues would not know', async () => {
    start()
    await settled()
    const before = pjsip()
    set(1, 'acme', { extensions: [extension('101'), extension('102'), extension('103')] })
    await follower.reconcile(new Set([1]))
    assert.ok(ids().includes('acme-103'), 'it can register before')
    const after = pjsip()
    assert.notEqual(after, before)
    set(1, 'acme')
    await follower.reconcile(new Set([1]))
    assert.equal(pjsip(), after, 'one that is gone needs no reload')
  })

  test('is reloaded once for a mailbox that is new, which it would not announce', async () => {
    start()
    await settled()
    const before = pjsip()
    set(1, 'acme', { extensions: [extension('101', { hasVoicemail: true }), extension('102')] })
    await follower.reconcile(new Set([1]))
    assert.notEqual(pjsip(), before)
  })

  test('is reloaded for a new telephone although that could not be noted at first', async () => {
    let isFailing = false
    const held = table
    table = {
      ...held,
      replace: async (owner, rows) => {
        if (isFailing && owner === NOBODY) throw new Error('no')
        return held.replace(owner, rows)
      },
    }
    start()
    await settled()
    const before = pjsip()
    isFailing = true
    set(1, 'acme', { extensions: [extension('101'), extension('102'), extension('103')] })
    await assert.rejects(follower.reconcile(new Set([1])), /no/)
    isFailing = false
    await follower.reconcile(new Set([1]))
    assert.notEqual(pjsip(), before)
  })

  for (const writes of [1, 2])
    test(`is reloaded for a new telephone if the service was killed after write ${writes} of it`, async () => {
      let left = Number.POSITIVE_INFINITY
      const writing = <T>(write: () => Promise<T>): Promise<T> =>
        left-- > 0 ? write() : Promise.reject(new Error('killed'))
      const held = table
      table = {
        ...held,
        replace: (owner, rows) => writing(() => held.replace(owner, rows)),
        keep: owners => writing(() => held.keep(owners)),
      }
      start()
      await settled()
      const before = pjsip()
      left = writes
      set(1, 'acme', { extensions: [extension('101'), extension('102'), extension('103')] })
      await assert.rejects(follower.reconcile(new Set([1])), /killed/)
      await restart()
      assert.ok(ids().includes('acme-103'))
      assert.notEqual(pjsip(), before)
    })

  test('keeps what it has while the service is away, which then writes what has changed alone', async () => {
    start()
    await settled()
    const before = pjsip()
    worlds.delete(2)
    await restart(() => assert.equal(ids().length, 4))
    assert.deepEqual(ids(), ['acme-101', 'acme-102'])
    assert.equal(pjsip(), before, 'nothing is new')
  })

  test('is reported when it reads another database or none, until it reads this one', async () => {
    asterisk.model.database = null
    start()
    await until('it is connected', () => asterisk.due.length === 1)
    await follower.reconcile('all')
    await until('the error is reported', () => asterisk.troubles.length > 0)
    const [error] = asterisk.troubles
    assert.ok(error instanceof AppError && error.code === 'conflict' && /database of telephones/.test(error.message))
    assert.ok(follower.state().pending.includes('telephones'))
    asterisk.model.database = path
    await follower.reconcile('all')
    await until('it is confirmed', () => !follower.state().pending.includes('telephones'))
  })

  test('is reported when it still reads a file that was removed and written again', async () => {
    start()
    await settled()
    await until('it is confirmed', () => !follower.state().pending.includes('telephones'))
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`)
    asterisk.model.database = null
    await assert.rejects(follower.reconcile(new Set([1])), /telephones\.db has been removed/)
    await follower.reconcile(new Set([1]))
    assert.equal(ids().length, 4)
    await until('the error is reported', () => asterisk.troubles.length > 0)
    assert.ok(follower.state().pending.includes('telephones'))
    asterisk.model.database = path
    await follower.reconcile('all')
    await until('it is confirmed', () => !follower.state().pending.includes('telephones'))
  })
})
