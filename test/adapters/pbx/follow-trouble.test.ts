import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { SwitchRecord } from '../../../core/ports/calls.ts'
import { type Followed, followed, following, hasCalls } from '../../support/data/followed.ts'
import { execute } from '../../support/data/stored.ts'
import { inWorld, numberedRow, type SwitchWorld, until } from '../../support/data/switch.ts'

/** How many of this process's open files have a path with this prefix. */
const openFiles = (path: string): number =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  }).length

/** A world whose `store` fails for those records. */
const failing = ({ storage }: SwitchWorld, fails: (records: readonly SwitchRecord[]) => boolean) => {
  const { calls } = storage
  const store: typeof calls.store = async (feed, records, place) => {
    if (fails(records)) throw new Error('the disk is full')
    return calls.store(feed, records, place)
  }
  return { storage: { ...storage, calls: { ...calls, store } } }
}

describe('a feed that cannot store', { timeout: 60_000, skip: !existsSync('/proc/self/fd') }, () => {
  const holdsNoFile = async (feed: Followed, path: string): Promise<void> => {
    await until('the trouble is reported', () => feed.troubles.length > 0)
    assert.equal(openFiles(path), 0)
    assert.match(String(feed.troubles[0]), /the disk is full/)
  }

  test(
    'does not keep a file open for its first place',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, numberedRow(1))
      const feed = followed(
        failing(world, () => true),
        path,
      )
      await following(feed, () => holdsNoFile(feed, path))
    }),
  )

  test(
    'says so until it can',
    inWorld(async world => {
      const path = world.file('Master.csv')
      let isFull = true
      const feed = followed(
        failing(world, () => isFull),
        path,
      )
      await following(feed, async () => {
        await until('it is missed', () => feed.troubles.length > 0)
        assert.equal(feed.isFailing(), false, 'a switch makes the file at the end of its first call')
        writeFileSync(path, numberedRow(1))
        await until('it fails', feed.isFailing)
        isFull = false
        await hasCalls(world, 1)
        await until('it no longer fails', () => !feed.isFailing())
      })
    }),
  )

  test(
    'does not keep the rotated file or the new one open for a last line',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, numberedRow(1) + numberedRow(2).trimEnd())
      const isSecond = (record: SwitchRecord): boolean =>
        'call' in record && record.call.raw === numberedRow(2).trimEnd()
      const feed = followed(
        failing(world, records => records.some(isSecond)),
        path,
      )
      await following(feed, async () => {
        await hasCalls(world, 1)
        assert.equal(openFiles(path), 1)
        renameSync(path, `${path}.1`)
        writeFileSync(path, numberedRow(3))
        await holdsNoFile(feed, path)
      })
    }),
  )
})

describe('a feed whose path is a FIFO', { timeout: 60_000 }, () => {
  test(
    'is a trouble that is reported, keeps no thread waiting and can be stopped',
    inWorld(async world => {
      const feeds = Array.from({ length: 6 }, (_, n) => {
        const path = world.file(`fifo-${n}`)
        execFileSync('mkfifo', [path])
        return followed(world, path)
      })
      const [first, ...others] = feeds
      assert.ok(first)
      await following(first, async () => {
        await until('the trouble is reported', () => first.troubles.length > 0)
        assert.match(String(first.troubles[0]), /fifo-0 is no file/)
        // With four opens waiting for a writer, the pool would have no thread left for this.
        assert.ok((await readFile('/proc/self/stat')).length > 0)
      })
      for (const feed of others) await following(feed, async () => undefined)
    }),
  )
})

describe('a feed whose records find no room in quarantine', { timeout: 60_000 }, () => {
  test(
    'stops, and continues where it was once there is room',
    inWorld(async world => {
      const { calls } = world.storage
      await execute(
        world.storage,
        `
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at)
        SELECT 'other', 'ndjson', '{}', i, '{}', 'junk', '2026-03-01T12:00:00.000000Z' FROM n`,
      )
      const path = world.file('Master.csv')
      writeFileSync(path, `garbage\n${numberedRow(1)}`)
      const feed = followed(world, path)
      await following(feed, async () => {
        await until('the trouble is reported', () => feed.troubles.length > 0)
        assert.match(String(feed.troubles[0]), /The quarantine is full/)
        assert.equal(await calls.quarantineCount(), 100_000)
      })
      await execute(world.storage, `DELETE FROM quarantine WHERE feed = 'other'`)
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 1))
      assert.equal(await calls.quarantineCount(), 1)
    }),
  )
})
