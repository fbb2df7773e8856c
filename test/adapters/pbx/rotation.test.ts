import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readdirSync, readlinkSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import fs, { stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { describe, mock, test } from 'node:test'
import { identityOf, type Reading, resume, successor } from '../../../adapters/pbx/feed-place.ts'
import { followed } from '../../support/data/followed.ts'
import { asteriskRow, inWorld, type SwitchWorld, until } from '../../support/data/switch.ts'

const row = (n: number): string => asteriskRow({ id: `1700000000.${n}` })

const stored = async ({ calls }: SwitchWorld): Promise<string[]> =>
  (await calls()).map(({ switch_call_id }) => /\.(\d+)\//.exec(switch_call_id ?? '')?.[1] ?? '')

/** Master.csv with one call that a stopped feed has ingested. */
async function takenIn(world: SwitchWorld): Promise<string> {
  const path = world.file('Master.csv')
  writeFileSync(path, row(1))
  const feed = followed(world, path)
  await until('the call is stored', async () => (await world.calls()).length === 1)
  await feed.stop()
  return path
}

/** Runs the test with that event happening once, just after a folder was read. */
async function afterReaddir(happens: () => void, test: () => Promise<void>): Promise<void> {
  const { readdir } = fs
  let isDone = false
  mock.method(fs, 'readdir', async (path: string) => {
    const entries = await readdir(path)
    if (!isDone) happens()
    isDone = true
    return entries
  })
  syncBuiltinESMExports()
  try {
    await test()
    assert.ok(isDone, 'a folder was read')
  } finally {
    mock.restoreAll()
    syncBuiltinESMExports()
  }
}

const takesInAll = async (world: SwitchWorld, path: string, ids: readonly string[]): Promise<void> => {
  const feed = followed(world, path)
  try {
    await until('the newest call is stored', async () => (await stored(world)).includes(ids.at(-1) ?? ''))
  } finally {
    await feed.stop()
  }
  assert.deepEqual(await stored(world), ids)
  assert.deepEqual(feed.troubles, [])
}

describe('a rotation just after a restart', { timeout: 60_000 }, () => {
  test(
    'between the list of names and the look at them makes no file gone',
    inWorld(async world => {
      const path = await takenIn(world)
      appendFileSync(path, row(2))
      const rotate = (): void => {
        renameSync(path, `${path}.1`)
        writeFileSync(path, row(3))
      }
      await afterReaddir(rotate, () => takesInAll(world, path, ['1', '2', '3']))
    }),
  )

  test(
    'that gives a name to a file between two others passes none of them over',
    inWorld(async world => {
      const path = await takenIn(world)
      renameSync(path, `${path}.1`)
      writeFileSync(path, row(2))
      const rotate = (): void => {
        renameSync(path, `${path}.2`)
        writeFileSync(path, row(3))
      }
      await afterReaddir(rotate, () => takesInAll(world, path, ['1', '2', '3']))
    }),
  )

  test(
    'that moves every name on by one is followed by the files themselves',
    inWorld(async world => {
      const path = await takenIn(world)
      appendFileSync(path, row(2))
      renameSync(path, `${path}.1`)
      writeFileSync(path, row(3))
      const rotate = (): void => {
        renameSync(`${path}.1`, `${path}.2`)
        renameSync(path, `${path}.1`)
        writeFileSync(path, row(4))
      }
      await afterReaddir(rotate, () => takesInAll(world, path, ['1', '2', '3', '4']))
    }),
  )

  test(
    'is followed in the order that the files were made in, though a late line was written to the oldest last',
    inWorld(async world => {
      const path = await takenIn(world)
      appendFileSync(path, row(2))
      renameSync(path, `${path}.1`)
      writeFileSync(path, row(3))
      renameSync(path, `${path}.2`)
      writeFileSync(path, row(4))
      utimesSync(`${path}.1`, new Date(), new Date(Date.now() + 60_000))
      await takesInAll(world, path, ['1', '2', '3', '4'])
    }),
  )
})

describe('files made in one tick of the clock', () => {
  test(
    'are each read, and each once',
    inWorld(async world => {
      const path = world.file('Master.csv')
      for (const name of ['.1', '.2', '.3', '']) writeFileSync(path + name, row(1))
      const newest = await stat(path, { bigint: true })
      const found: string[] = []
      const taken = new Set<string>()
      let reading = await resume(`${path}.1`, null, () => undefined)
      while (reading && found.length < 9) {
        found.push(reading.inode)
        taken.add(identityOf(reading))
        const next: Reading | null = await successor(path, { ...reading, born: 0n }, taken)
        await reading.file.close()
        reading = next
      }
      assert.equal(found.length, 4)
      assert.equal(new Set(found).size, 4)
      assert.equal(found.at(-1), String(newest.ino))
    }),
  )

  test(
    'come after one another in either order',
    inWorld(async world => {
      const path = world.file('Master.csv')
      for (const name of ['.1', '.2', '']) writeFileSync(path + name, row(1))
      const first = await resume(`${path}.1`, null, () => undefined)
      const second = await stat(`${path}.2`, { bigint: true })
      assert.ok(first)
      const next = await successor(path, { ...first, born: second.birthtimeNs || second.mtimeNs }, new Set())
      assert.equal(next?.inode, String(second.ino))
      await first.file.close()
      await next.file.close()
    }),
  )
})

describe('a followed file that cannot be read', { skip: !existsSync('/proc/self/fd') }, () => {
  const isHeld = (path: string): boolean =>
    readdirSync('/proc/self/fd').some(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path
      } catch {
        return false
      }
    })

  test(
    'is closed again if resuming it fails',
    inWorld(async world => {
      const path = await takenIn(world)
      const place = await world.storage.calls.place(path)
      const { open } = fs
      mock.method(fs, 'open', async (name: string) => {
        const file = await open(name)
        mock.method(file, 'read', () => Promise.reject(new Error('the disk is broken')))
        return file
      })
      syncBuiltinESMExports()
      try {
        await assert.rejects(
          resume(path, place, () => undefined),
          /the disk is broken/,
        )
      } finally {
        mock.restoreAll()
        syncBuiltinESMExports()
      }
      assert.equal(isHeld(path), false)
    }),
  )
})
