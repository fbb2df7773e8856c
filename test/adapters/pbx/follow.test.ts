import assert from 'node:assert/strict'
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import { followed, following, hasCalls } from '../../support/data/followed.ts'
import { asteriskRow, inWorld, numberedRow, numbers, rowsFrom, rules, until, upTo } from '../../support/data/switch.ts'

describe('a followed file', { timeout: 60_000 }, () => {
  test(
    'is read as it grows, from before it was there',
    inWorld(async world => {
      const path = world.file('Master.csv')
      const feed = followed(world, path)
      await following(feed, async () => {
        writeFileSync(path, rowsFrom(1, 3))
        await hasCalls(world, 3)
        appendFileSync(path, rowsFrom(4, 2))
        await hasCalls(world, 5)
        await until('nothing is left', () => feed.lag() === 0)
      })
      assert.deepEqual(await numbers(world), upTo(5))
      assert.deepEqual(feed.counts().stored, 5)
      assert.deepEqual(feed.troubles, [])
    }),
  )

  test(
    'is read in the given format, even if its first lines do not show it',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, 'garbage\n')
      const feed = followed(world, path, { format: 'asterisk-csv' })
      await following(feed, () => until('the line is put aside', () => feed.counts().quarantined === 1))
    }),
  )

  test(
    'holds a torn last line until it is whole, wherever it is torn',
    inWorld(async world => {
      const path = world.file('Master.csv')
      const bytes = Buffer.from(rowsFrom(1, 8))
      const feed = followed(world, path)
      await following(feed, async () => {
        for (let at = 0; at < bytes.length; at += 97) {
          const piece = bytes.subarray(at, at + 97)
          appendFileSync(path, piece)
          const whole = bytes.subarray(0, at + 97).filter(byte => byte === 10).length
          await hasCalls(world, whole)
        }
      })
      assert.deepEqual(await numbers(world), upTo(8))
      assert.deepEqual(await world.quarantine(), [])
    }),
  )

  test(
    'is followed through rotation by renaming: the old one is drained, a line that comes late included, then the new one',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 2))
      const feed = followed(world, path)
      await following(feed, async () => {
        await hasCalls(world, 2)
        for (let turn = 0; turn < 4; turn++) {
          const first = 3 + turn * 4
          renameSync(path, `${path}.${turn}`)
          appendFileSync(`${path}.${turn}`, numberedRow(first))
          writeFileSync(path, rowsFrom(first + 2, 2))
          appendFileSync(`${path}.${turn}`, numberedRow(first + 1))
          await hasCalls(world, first + 3)
        }
      })
      assert.deepEqual(await numbers(world), upTo(18))
      assert.equal(feed.counts().known, 0)
      assert.deepEqual(feed.troubles, [])
    }),
  )

  test(
    'stores the last line of the old file, without its line end, once there is a new file',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, numberedRow(1) + numberedRow(2).trimEnd())
      const feed = followed(world, path)
      await following(feed, async () => {
        await hasCalls(world, 1)
        renameSync(path, `${path}.1`)
        writeFileSync(path, numberedRow(3))
        await hasCalls(world, 3)
      })
      assert.deepEqual(await numbers(world), upTo(3))
    }),
  )

  test(
    'continues where it was after a restart, through every rotation meanwhile',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 2))
      const first = followed(world, path)
      await hasCalls(world, 2)
      await first.stop()
      appendFileSync(path, numberedRow(3))
      renameSync(path, `${path}-20261001`)
      writeFileSync(path, rowsFrom(4, 2))
      renameSync(path, `${path}-20261002`)
      writeFileSync(path, numberedRow(6))
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 6))
      assert.deepEqual(await numbers(world), upTo(6))
      assert.deepEqual(again.counts(), { stored: 4, known: 0, quarantined: 0, legs: 0, unrated: 0 })
      assert.deepEqual(again.troubles, [])
    }),
  )

  test(
    'that was renamed before anything of it was stored is read first after a restart',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, numberedRow(1).slice(0, 50))
      const first = followed(world, path)
      await until(
        'it is known that this file is followed',
        async () => (await world.storage.calls.place(path)) !== null,
      )
      await first.stop()
      appendFileSync(path, numberedRow(1).slice(50))
      renameSync(path, `${path}.1`)
      writeFileSync(path, numberedRow(2))
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 2))
      assert.deepEqual(await numbers(world), upTo(2))
    }),
  )

  test(
    'whose former part is gone after a restart is read as far as it is left, and the loss is reported',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 2))
      const first = followed(world, path)
      await hasCalls(world, 2)
      await first.stop()
      writeFileSync(`${path}.1`, rowsFrom(3, 2))
      rmSync(path)
      // Most file systems reuse the number of a deleted file: a longer new file looks like the old one grown.
      writeFileSync(path, rowsFrom(5, 4))
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 8))
      assert.deepEqual(await numbers(world), upTo(8))
      assert.match(String(again.troubles[0]), /was read up to byte \d+ is gone/)
    }),
  )

  test(
    'that was truncated is read from its beginning, even if it has grown past the former place',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 3))
      const feed = followed(world, path)
      await following(feed, async () => {
        await hasCalls(world, 3)
        truncateSync(path)
        writeFileSync(path, rowsFrom(4, 2))
        await hasCalls(world, 5)
        writeFileSync(path, rowsFrom(6, 5))
        await hasCalls(world, 10)
      })
      assert.deepEqual(await numbers(world), upTo(10))
    }),
  )

  test(
    'loses and tears no record when it is stopped repeatedly while the file is rotated',
    inWorld(async world => {
      const path = world.file('Master.csv')
      const count = 8_000
      writeFileSync(path, rowsFrom(1, count))
      for (let stops = 0; (await world.calls()).length < count; stops++) {
        assert.ok(stops < 100, 'it comes to an end')
        const feed = followed(world, path)
        const before = (await world.calls()).length
        await until('something is stored', async () => (await world.calls()).length > before)
        if (stops === 0) {
          renameSync(path, `${path}.1`)
          writeFileSync(path, '')
        }
        await feed.stop()
      }
      assert.equal(new Set(await numbers(world)).size, count)
      assert.deepEqual(await world.quarantine(), [])
    }),
  )

  test(
    'that is also ingested by command stores each call once',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 3))
      const feed = followed(world, path)
      await following(feed, async () => {
        await hasCalls(world, 3)
        const asked = { feed: { name: path, rules: rules() }, format: 'auto' } as const
        assert.equal((await ingest(path, asked, world.storage.calls)).known, 3)
        appendFileSync(path, numberedRow(4))
        await hasCalls(world, 4)
      })
      assert.deepEqual(await numbers(world), upTo(4))
    }),
  )

  test(
    'continues after an unusable record, which goes to quarantine',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(
        path,
        `${numberedRow(1)}garbage\n${asteriskRow({ accountcode: 'nobody', id: '1.0009' })}${numberedRow(2)}`,
      )
      const feed = followed(world, path)
      await following(feed, () => hasCalls(world, 2))
      assert.deepEqual(
        (await world.quarantine()).map(({ reason }) => reason),
        ['has 1 columns, not 16, 17, 18, 21', 'there is no tenant "nobody"'],
      )
      assert.equal(feed.counts().quarantined, 2)
    }),
  )
})
