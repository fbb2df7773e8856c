import assert from 'node:assert/strict'
import { existsSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { SwitchRecord } from '../../../core/ports/calls.ts'
import {
  type Followed,
  followed,
  following,
  hasCalls,
  inWorld,
  numberedRow,
  type SwitchWorld,
  until,
} from '../../support/switch.ts'

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
      writeFileSync(path, numberedRow(1))
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
