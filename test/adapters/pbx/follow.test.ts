import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import type { SwitchRecord } from '../../../core/ports/calls.ts'
import {
  asteriskRow,
  type Followed,
  followed,
  freeswitchJson,
  inWorld,
  rules,
  type SwitchWorld,
  until,
} from '../../support/switch.ts'

const row = (n: number): string => asteriskRow({ id: `1700000000.${String(n).padStart(4, '0')}` })
const rowsFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, i) => row(first + i)).join('')

/** The numbers of the stored calls. */
const numbers = ({ calls }: SwitchWorld): number[] =>
  calls().map(({ switch_call_id }) => Number(/\.(\d+)\//.exec(switch_call_id ?? '')?.[1]))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

const hasCalls = (world: SwitchWorld, count: number): Promise<void> =>
  until(`${count} calls are stored`, () => world.calls().length >= count)

const following = async (feed: Followed, test: () => Promise<void>): Promise<void> => {
  try {
    await test()
  } finally {
    await feed.stop()
  }
}

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
      assert.deepEqual(numbers(world), upTo(5))
      assert.deepEqual(feed.counts().stored, 5)
      assert.deepEqual(feed.troubles, [])
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
      assert.deepEqual(numbers(world), upTo(8))
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
          appendFileSync(`${path}.${turn}`, row(first))
          writeFileSync(path, rowsFrom(first + 2, 2))
          appendFileSync(`${path}.${turn}`, row(first + 1))
          await hasCalls(world, first + 3)
        }
      })
      assert.deepEqual(numbers(world), upTo(18))
      assert.equal(feed.counts().known, 0)
      assert.deepEqual(feed.troubles, [])
    }),
  )

  test(
    'has the last line of the old one taken in without its end once there is a new one',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, row(1) + row(2).trimEnd())
      const feed = followed(world, path)
      await following(feed, async () => {
        await hasCalls(world, 1)
        renameSync(path, `${path}.1`)
        writeFileSync(path, row(3))
        await hasCalls(world, 3)
      })
      assert.deepEqual(numbers(world), upTo(3))
    }),
  )

  test(
    'is gone on with where it was after a restart, every rotation of the meantime included',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 2))
      const first = followed(world, path)
      await hasCalls(world, 2)
      await first.stop()
      appendFileSync(path, row(3))
      renameSync(path, `${path}-20261001`)
      writeFileSync(path, rowsFrom(4, 2))
      renameSync(path, `${path}-20261002`)
      writeFileSync(path, row(6))
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 6))
      assert.deepEqual(numbers(world), upTo(6))
      assert.deepEqual(again.counts(), { stored: 4, known: 0, quarantined: 0, legs: 0, unrated: 0 })
      assert.deepEqual(again.troubles, [])
    }),
  )

  test(
    'that was renamed before anything of it was stored is read first after a restart',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, row(1).slice(0, 50))
      const first = followed(world, path)
      await until(
        'it is known that this file is followed',
        async () => (await world.storage.calls.place(path)) !== null,
      )
      await first.stop()
      appendFileSync(path, row(1).slice(50))
      renameSync(path, `${path}.1`)
      writeFileSync(path, row(2))
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 2))
      assert.deepEqual(numbers(world), upTo(2))
    }),
  )

  test(
    'whose former part is gone after a restart is read with all that is left of it, and that is said',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 2))
      const first = followed(world, path)
      await hasCalls(world, 2)
      await first.stop()
      writeFileSync(`${path}.1`, rowsFrom(3, 2))
      rmSync(path)
      // Most file systems give the number of a deleted file to the next one: longer, it looks like the old one grown.
      writeFileSync(path, rowsFrom(5, 4))
      const again = followed(world, path)
      await following(again, () => hasCalls(world, 8))
      assert.deepEqual(numbers(world), upTo(8))
      assert.match(String(again.troubles[0]), /was read up to byte \d+ is gone/)
    }),
  )

  test(
    'that was emptied is read from its beginning, even when it has grown past where it was',
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
      assert.deepEqual(numbers(world), upTo(10))
    }),
  )

  test(
    'is stopped again and again within a file that is rotated, without losing or tearing a record',
    inWorld(async world => {
      const path = world.file('Master.csv')
      const count = 8_000
      writeFileSync(path, rowsFrom(1, count))
      for (let stops = 0; world.calls().length < count; stops++) {
        assert.ok(stops < 100, 'it comes to an end')
        const feed = followed(world, path)
        const before = world.calls().length
        await until('something is stored', () => world.calls().length > before)
        if (stops === 0) {
          renameSync(path, `${path}.1`)
          writeFileSync(path, '')
        }
        await feed.stop()
      }
      assert.equal(new Set(numbers(world)).size, count)
      assert.deepEqual(await world.quarantine(), [])
    }),
  )

  test(
    'and the same file taken in by command make each call once',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, rowsFrom(1, 3))
      const feed = followed(world, path)
      await following(feed, async () => {
        await hasCalls(world, 3)
        const asked = { feed: { name: path, rules: rules() }, format: 'auto' } as const
        assert.equal((await ingest(path, asked, world.storage.calls)).known, 3)
        appendFileSync(path, row(4))
        await hasCalls(world, 4)
      })
      assert.deepEqual(numbers(world), upTo(4))
    }),
  )

  test(
    'goes on behind what cannot be used, which is kept',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, `${row(1)}garbage\n${asteriskRow({ accountcode: 'nobody', id: '1.0009' })}${row(2)}`)
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

/** How many of this process's open files begin with the path. */
const openFiles = (path: string): number =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  }).length

/** The world with a `store` that fails for those records. */
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
    await until('the trouble is told', () => feed.troubles.length > 0)
    assert.equal(openFiles(path), 0)
    assert.match(String(feed.troubles[0]), /the disk is full/)
  }

  test(
    'its first place holds no file open',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, row(1))
      const feed = followed(
        failing(world, () => true),
        path,
      )
      await following(feed, () => holdsNoFile(feed, path))
    }),
  )

  test(
    'the last line of a file that was rotated holds neither that one nor the new one open',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, row(1) + row(2).trimEnd())
      const isSecond = (record: SwitchRecord): boolean => 'call' in record && record.call.raw === row(2).trimEnd()
      const feed = followed(
        failing(world, records => records.some(isSecond)),
        path,
      )
      await following(feed, async () => {
        await hasCalls(world, 1)
        assert.equal(openFiles(path), 1)
        renameSync(path, `${path}.1`)
        writeFileSync(path, row(3))
        await holdsNoFile(feed, path)
      })
    }),
  )
})

describe('a followed folder', { timeout: 60_000 }, () => {
  test(
    'has each record taken in once it is whole, and again when it has changed',
    inWorld(async world => {
      const folder = world.file('json')
      mkdirSync(folder)
      const whole = freeswitchJson({ id: 'aaaa' })
      writeFileSync(join(folder, 'aaaa.cdr.json'), whole.slice(0, 100))
      writeFileSync(join(folder, 'bbbb.cdr.json'), freeswitchJson({ id: 'bbbb' }))
      writeFileSync(join(folder, 'notes.txt'), 'no record')
      const feed = followed(world, folder)
      await following(feed, async () => {
        await hasCalls(world, 1)
        await until('the draft is seen', () => feed.lag() === 100)
        writeFileSync(join(folder, 'aaaa.cdr.json'), whole)
        writeFileSync(join(folder, 'cccc.cdr.json'), '{"torn":')
        utimesSync(join(folder, 'cccc.cdr.json'), 1, 1)
        await hasCalls(world, 2)
        await until('the torn one is put aside', () => feed.counts().quarantined === 1)
        writeFileSync(join(folder, 'cccc.cdr.json'), freeswitchJson({ id: 'cccc' }))
        await hasCalls(world, 3)
        rmSync(join(folder, 'aaaa.cdr.json'))
      })
      assert.deepEqual(
        world.calls().map(({ switch_call_id }) => switch_call_id),
        ['aaaa', 'bbbb', 'cccc'],
      )
      assert.deepEqual(feed.troubles, [])
    }),
  )
})
